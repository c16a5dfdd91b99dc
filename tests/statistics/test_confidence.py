# SPDX-License-Identifier: MIT
import numpy as np
import pytest
from scipy.stats import ttest_1samp

from receval.statistics.confidence import mean_with_interval


@pytest.mark.each("n_users", [2, 3, 40])
def test_the_interval_over_users_is_that_of_student_s_t(n_users):
    values = np.random.default_rng(1).random((2, 3, n_users))
    means, half = mean_with_interval(values)
    interval = ttest_1samp(values, 0.0, axis=-1).confidence_interval(0.95)
    np.testing.assert_allclose(means - half, interval.low, rtol=1e-12)
    np.testing.assert_allclose(means + half, interval.high, rtol=1e-12)


@pytest.mark.filterwarnings("error")
def test_one_user_has_a_mean_and_no_interval():
    means, half = mean_with_interval([[0.5], [0.25]])
    assert means.tolist() == [0.5, 0.25]
    assert np.isnan(half).tolist() == [True, True]
