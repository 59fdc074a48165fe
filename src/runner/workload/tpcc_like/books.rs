//! What a terminal has committed, for the check.

/// Counts and sums over committed transactions; amounts in hundredths.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Books {
    pub(super) new_orders: i64,
    pub(super) lines: i64,
    pub(super) remote_lines: i64,
    pub(super) quantity: i64,
    /// What was ordered, before taxes and discounts.
    pub(super) ordered: i64,
    pub(super) payments: i64,
    pub(super) paid: i64,
    pub(super) delivered: i64,
    /// What customers were charged for what was delivered.
    pub(super) charged: i64,
    /// Times that a delivery found nothing to deliver in a district.
    pub(super) districts_without: i64,
}

impl Books {
    pub(super) fn add(&mut self, other: &Self) {
        let Self {
            new_orders,
            lines,
            remote_lines,
            quantity,
            ordered,
            payments,
            paid,
            delivered,
            charged,
            districts_without,
        } = other;
        self.new_orders += new_orders;
        self.lines += lines;
        self.remote_lines += remote_lines;
        self.quantity += quantity;
        self.ordered += ordered;
        self.payments += payments;
        self.paid += paid;
        self.delivered += delivered;
        self.charged += charged;
        self.districts_without += districts_without;
    }
}
