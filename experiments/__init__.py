"""From a config to results: data, units of work, kinds of experiment, figures."""
