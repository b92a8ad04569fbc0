"""The judge: compares the results of all methods with controls and rules on them.

``snapshot`` reads the store once. All else here is pure: evidence in, verdicts out.
"""
