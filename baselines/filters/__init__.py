"""The filters, one formula a module."""
