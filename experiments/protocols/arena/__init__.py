"""Many methods on many data sets, judged alike, and compared by their mean ranks."""
