"""Workbooks as black boxes: what is in one, how its cells depend on each other, and the two engines that calculate it."""
