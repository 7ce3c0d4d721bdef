"""What turns a config into results: data, units of work, kinds of experiment, figures."""
