"""The filters, one module each.

The name of a module is the name of its filter, as `baselines.get` and a config take it. ``__all__``
of a module names its scorer first, then what else `baselines` offers of it. A module whose name
begins with an underscore is no filter.
"""
