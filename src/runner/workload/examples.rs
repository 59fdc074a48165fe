//! A small example of each workload, and what its check has to see; for tests on every engine.

/// A change to the database, the statement that undoes it, and words of the fault that the check tells.
pub(super) type Change = (&'static str, &'static str, &'static str);

/// A small example of a workload.
pub(super) struct Example {
    pub(super) workload: &'static str,
    pub(super) parameters: &'static [(&'static str, &'static str)],
    /// In SQL that every engine understands.
    pub(super) changes: &'static [Change],
}

/// One of each workload that needs a database.
pub(super) const EXAMPLES: [Example; 5] =
    [INSERT_UPDATE, UPDATE_ONLY, TPCC_LIKE, RESTORE, BULK_LOAD];

pub(super) const INSERT_UPDATE: Example = Example {
    workload: "insert-update",
    parameters: &[
        ("connections", "3"),
        ("duration", "0.2 s"),
        ("warm_up", "0.05 s"),
        ("rows", "200"),
    ],
    changes: &[
        (
            "INSERT INTO entries SELECT 0, account, amount, 0, note FROM entries WHERE id = 1",
            "DELETE FROM entries WHERE id = 0",
            "rows: ",
        ),
        (
            "UPDATE entries SET changes = changes + 1 WHERE id = 7",
            "UPDATE entries SET changes = changes - 1 WHERE id = 7",
            "changes of rows: ",
        ),
        (
            "UPDATE entries SET amount = amount - 0.01 WHERE id = 1",
            "UPDATE entries SET amount = round(amount + 0.01, 2) WHERE id = 1",
            "sum of amounts, in hundredths: ",
        ),
        (
            "UPDATE entries SET account = account + 1 WHERE id = 1",
            "UPDATE entries SET account = account - 1 WHERE id = 1",
            "sum of accounts: ",
        ),
        (
            "UPDATE entries SET note = upper(note) WHERE id = 1",
            "UPDATE entries SET note = lower(note) WHERE id = 1",
            "row 1 isn't what was inserted",
        ),
    ],
};

pub(super) const UPDATE_ONLY: Example = Example {
    workload: "update-only",
    parameters: &[
        ("connections", "3"),
        ("duration", "0.2 s"),
        ("warm_up", "0.05 s"),
        ("scale", "2"),
        ("accounts", "500"),
    ],
    changes: &[
        (
            "UPDATE accounts SET balance = balance + 1 WHERE id = 1000",
            "UPDATE accounts SET balance = balance - 1 WHERE id = 1000",
            "sum of balances of accounts: ",
        ),
        (
            "UPDATE tellers SET balance = CASE WHEN id = 1 THEN balance + 1 ELSE balance - 1 END WHERE id <= 2",
            "UPDATE tellers SET balance = CASE WHEN id = 1 THEN balance - 1 ELSE balance + 1 END WHERE id <= 2",
            "tellers: row",
        ),
        (
            "UPDATE accounts SET id = 2000 WHERE id = 1",
            "UPDATE accounts SET id = 1 WHERE id = 2000",
            "sum of keys of accounts: ",
        ),
        (
            "INSERT INTO branches VALUES (3, 3, 0, '')",
            "DELETE FROM branches WHERE id = 3",
            "rows of branches: ",
        ),
    ],
};

pub(super) const TPCC_LIKE: Example = Example {
    workload: "tpcc-like",
    parameters: &[
        ("connections", "3"),
        ("duration", "1 s"),
        ("warm_up", "0.05 s"),
        ("warehouses", "2"),
        ("customers", "20"),
        ("items", "100"),
    ],
    changes: &[
        (
            "UPDATE warehouse SET w_ytd = w_ytd + 0.01 WHERE w_id = 1",
            "UPDATE warehouse SET w_ytd = round(w_ytd - 0.01, 2) WHERE w_id = 1",
            "payments to warehouse 1: ",
        ),
        (
            "UPDATE district SET d_ytd = d_ytd - 1 WHERE d_id = 3",
            "UPDATE district SET d_ytd = round(d_ytd + 1, 2) WHERE d_id = 3",
            "sum of payments in district 3 of warehouse 1: ",
        ),
        (
            "UPDATE district SET d_next_o_id = d_next_o_id + 1 WHERE d_id = 4 AND d_w_id = 2",
            "UPDATE district SET d_next_o_id = d_next_o_id - 1 WHERE d_id = 4 AND d_w_id = 2",
            "orders in district 4 of warehouse 2: ",
        ),
        (
            "INSERT INTO new_order VALUES (1, 5, 1000000)",
            "DELETE FROM new_order WHERE no_o_id = 1000000",
            "highest new order in district 5 of warehouse 1: ",
        ),
        (
            "INSERT INTO new_order VALUES (2, 6, 1)",
            "DELETE FROM new_order WHERE no_o_id = 1",
            "in district 6 of warehouse 2: ",
        ),
        (
            "UPDATE orders SET o_ol_cnt = o_ol_cnt + 1 WHERE o_d_id = 7 AND o_id = 1",
            "UPDATE orders SET o_ol_cnt = o_ol_cnt - 1 WHERE o_d_id = 7 AND o_id = 1",
            "order lines in district 7 of warehouse 1: ",
        ),
        (
            "UPDATE orders SET o_carrier_id = NULL WHERE o_id = 1 AND o_w_id = 1 AND o_d_id = 1",
            "UPDATE orders SET o_carrier_id = 1 WHERE o_id = 1 AND o_w_id = 1 AND o_d_id = 1",
            "orders without a carrier: ",
        ),
        (
            "UPDATE stock SET s_quantity = s_quantity - 200 WHERE s_w_id = 1 AND s_i_id = 1",
            "UPDATE stock SET s_quantity = s_quantity + 200 WHERE s_w_id = 1 AND s_i_id = 1",
            "of an item are in stock",
        ),
        (
            "UPDATE stock SET s_ytd = s_ytd + 1 WHERE s_w_id = 1 AND s_i_id = 1",
            "UPDATE stock SET s_ytd = s_ytd - 1 WHERE s_w_id = 1 AND s_i_id = 1",
            "taken from stock: ",
        ),
        (
            "UPDATE customer SET c_balance = c_balance + 0.01 WHERE c_id = 1 AND c_d_id = 1",
            "UPDATE customer SET c_balance = round(c_balance - 0.01, 2) WHERE c_id = 1 AND c_d_id = 1",
            "balances, in hundredths: ",
        ),
        (
            "UPDATE order_line SET ol_quantity = ol_quantity + 1 WHERE ol_o_id = 1",
            "UPDATE order_line SET ol_quantity = ol_quantity - 1 WHERE ol_o_id = 1",
            "ordered quantity: ",
        ),
    ],
};

pub(super) const RESTORE: Example = Example {
    workload: "restore",
    // More than are fetched at once.
    parameters: &[("rows", "5555")],
    changes: &[
        (
            "UPDATE customers SET credit = credit + 0.01 WHERE id = 7",
            "UPDATE customers SET credit = credit - 0.01 WHERE id = 7",
            "sum of credits",
        ),
        (
            "UPDATE customers SET city = upper(city) WHERE id = 7",
            "UPDATE customers SET city = lower(city) WHERE id = 7",
            "customers.city of row Whole(7)",
        ),
        (
            "UPDATE orders SET order_day = order_day + 1 WHERE id = 5002",
            "UPDATE orders SET order_day = order_day - 1 WHERE id = 5002",
            "orders.order_day of row Whole(5002)",
        ),
        (
            "UPDATE orders SET amount = amount + 1 WHERE id = 5002",
            "UPDATE orders SET amount = amount - 1 WHERE id = 5002",
            "sum of amounts",
        ),
        (
            "INSERT INTO customers VALUES (556 + 1, '', '', 0)",
            "DELETE FROM customers WHERE id = 557",
            "customers: 557 found",
        ),
    ],
};

pub(super) const BULK_LOAD: Example = Example {
    workload: "bulk-load",
    parameters: &[
        ("data_size", "20000 B"),
        ("prefilled", "150"),
        ("indexes", "2"),
        ("age_every", "1 ms"),
    ],
    changes: &[
        (
            "UPDATE loaded SET account = account + 1 WHERE id = 200",
            "UPDATE loaded SET account = account - 1 WHERE id = 200",
            "sum of accounts",
        ),
        (
            "UPDATE loaded SET amount = amount + 0.01 WHERE id = 200",
            "UPDATE loaded SET amount = amount - 0.01 WHERE id = 200",
            "sum of amounts",
        ),
        (
            "UPDATE loaded SET note = upper(note) WHERE id = 200",
            "UPDATE loaded SET note = lower(note) WHERE id = 200",
            "loaded.note of row Whole(200)",
        ),
        (
            "UPDATE loaded SET id = 2000 WHERE id = 200",
            "UPDATE loaded SET id = 200 WHERE id = 2000",
            "loaded.id of row",
        ),
        (
            "INSERT INTO loaded VALUES (9999, 0, 0, '', '')",
            "DELETE FROM loaded WHERE id = 9999",
            "rows: ",
        ),
    ],
};
