"""The packages of the acceptance. What is not named here is not run."""

from acceptance.packages import cachetools, inflection, toolz
from acceptance.wanted import Package

PACKAGES: tuple[Package, ...] = (toolz.PACKAGE, cachetools.PACKAGE, inflection.PACKAGE)
