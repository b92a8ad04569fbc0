"""The only place that spends money: what is asked, on what terms, and what came back."""
