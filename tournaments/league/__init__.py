"""The league office: entries, nights, seals, and what anybody can check of them."""
