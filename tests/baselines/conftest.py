"""Labels that the tests of filters share."""

import numpy as np
import pytest


@pytest.fixture(params=[2, 3], ids=["two classes", "three classes"])
def y(request):
    return np.arange(40) ** 2 % 11 % request.param
