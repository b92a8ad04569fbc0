"""The judge: what all methods say of a study, compared with controls and ruled on.

``snapshot`` reads the store once. All else here is pure: evidence in, verdicts out.
"""
