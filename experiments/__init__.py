"""From a config to results: data, tasks, kinds of experiment, figures."""
