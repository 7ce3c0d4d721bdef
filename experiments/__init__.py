"""What turns a config into results: data, protocols, units of work, figures."""
