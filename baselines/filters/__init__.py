"""The filters; each module has one formula."""
