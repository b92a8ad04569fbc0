"""The engine, the only place that spends money: plans runs, asks their questions, stores the
replies."""
