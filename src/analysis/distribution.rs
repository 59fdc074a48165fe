//! The distributions behind intervals and tests: normal, Student's t, beta.

use std::f64::consts::PI;

/// P(Z ≤ z) of the standard normal distribution.
///
/// By the incomplete gamma function of shape one half, so that tails keep their relative precision.
pub fn normal_cdf(z: f64) -> f64 {
    let upper = 0.5 * gamma_half_upper(z * z / 2.0);
    if z > 0.0 { 1.0 - upper } else { upper }
}

/// The z with P(Z ≤ z) = `share`: infinite at 0 and 1, NaN outside.
///
/// Acklam's rational approximation (2003, "An algorithm for computing the inverse normal cumulative
/// distribution function") and one step of Halley's method.
pub fn normal_quantile(share: f64) -> f64 {
    const A: [f64; 6] = [
        -3.969_683_028_665_376e1,
        2.209_460_984_245_205e2,
        -2.759_285_104_469_687e2,
        1.383_577_518_672_69e2,
        -3.066_479_806_614_716e1,
        2.506_628_277_459_239,
    ];
    const B: [f64; 6] = [
        -5.447_609_879_822_406e1,
        1.615_858_368_580_409e2,
        -1.556_989_798_598_866e2,
        6.680_131_188_771_972e1,
        -1.328_068_155_288_572e1,
        1.0,
    ];
    const C: [f64; 6] = [
        -7.784_894_002_430_293e-3,
        -3.223_964_580_411_365e-1,
        -2.400_758_277_161_838,
        -2.549_732_539_343_734,
        4.374_664_141_464_968,
        2.938_163_982_698_783,
    ];
    const D: [f64; 5] = [
        7.784_695_709_041_462e-3,
        3.224_671_290_700_398e-1,
        2.445_134_137_142_996,
        3.754_408_661_907_416,
        1.0,
    ];
    if !(0.0..=1.0).contains(&share) {
        return f64::NAN;
    }
    if share == 0.0 || share == 1.0 {
        return if share == 0.0 {
            f64::NEG_INFINITY
        } else {
            f64::INFINITY
        };
    }
    if share > 0.5 {
        return -normal_quantile(1.0 - share);
    }
    let start = if share < 0.02425 {
        let q = (-2.0 * share.ln()).sqrt();
        polynomial(&C, q) / polynomial(&D, q)
    } else {
        let q = share - 0.5;
        q * polynomial(&A, q * q) / polynomial(&B, q * q)
    };
    let error = (normal_cdf(start) - share) * (2.0 * PI).sqrt() * (start * start / 2.0).exp();
    start - error / (1.0 + start * error / 2.0)
}

/// Horner's scheme, highest power first.
fn polynomial(coefficients: &[f64], at: f64) -> f64 {
    coefficients
        .iter()
        .fold(0.0, |sum, coefficient| sum * at + coefficient)
}

/// P(T ≤ t) of Student's distribution with `freedom` degrees of freedom (more than 0).
pub fn student_cdf(t: f64, freedom: f64) -> f64 {
    let tail = 0.5 * student_two_sided(t, freedom);
    if t > 0.0 { 1.0 - tail } else { tail }
}

/// P(|T| ≥ |t|): the two-sided p value (Abramowitz and Stegun 26.7.1 by 26.5.27).
pub fn student_two_sided(t: f64, freedom: f64) -> f64 {
    if t.is_infinite() {
        return 0.0;
    }
    incomplete_beta(freedom / 2.0, 0.5, freedom / (freedom + t * t))
}

/// The t with P(T ≤ t) = `share`, by the beta quantile of the same relation.
pub fn student_quantile(share: f64, freedom: f64) -> f64 {
    if share < 0.5 {
        return -student_quantile(1.0 - share, freedom);
    }
    let tail = beta_quantile(2.0 * (1.0 - share), freedom / 2.0, 0.5);
    (freedom * (1.0 - tail) / tail).max(0.0).sqrt()
}

/// The regularised incomplete beta function Iₓ(a, b): P(X ≤ x) of the beta distribution.
///
/// Continued fraction 26.5.8 of Abramowitz and Stegun by the modified method of Lentz (Press et al.,
/// "Numerical recipes", 6.4), on the side of the mean where it converges fast.
pub fn incomplete_beta(a: f64, b: f64, x: f64) -> f64 {
    if x <= 0.0 || x.is_nan() {
        return 0.0;
    }
    if x >= 1.0 {
        return 1.0;
    }
    let front = (a * x.ln() + b * (-x).ln_1p() - ln_beta(a, b)).exp();
    let share = if x < (a + 1.0) / (a + b + 2.0) {
        front * beta_fraction(a, b, x) / a
    } else {
        1.0 - front * beta_fraction(b, a, 1.0 - x) / b
    };
    share.clamp(0.0, 1.0)
}

/// The continued fraction of the incomplete beta function.
fn beta_fraction(a: f64, b: f64, x: f64) -> f64 {
    let away = |value: f64| if value.abs() < 1e-300 { 1e-300 } else { value };
    let mut c = 1.0;
    let mut d = 1.0 / away(1.0 - (a + b) * x / (a + 1.0));
    let mut fraction = d;
    for step in 1..10_000 {
        let m = f64::from(step);
        let even = m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m));
        let odd = -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0));
        let mut change = 1.0;
        for term in [even, odd] {
            d = 1.0 / away(1.0 + term * d);
            c = away(1.0 + term / c);
            change = c * d;
            fraction *= change;
        }
        if (change - 1.0).abs() < 1e-16 {
            break;
        }
    }
    fraction
}

/// The x with Iₓ(a, b) = `share`: Newton's steps, and halving where they leave the bracket.
pub fn beta_quantile(share: f64, a: f64, b: f64) -> f64 {
    if share <= 0.0 || share >= 1.0 {
        return share.clamp(0.0, 1.0);
    }
    let constant = ln_beta(a, b);
    let (mut low, mut high, mut at) = (0.0_f64, 1.0_f64, a / (a + b));
    for _ in 0..200 {
        let error = incomplete_beta(a, b, at) - share;
        if error < 0.0 {
            low = at;
        } else {
            high = at;
        }
        let density = ((a - 1.0) * at.ln() + (b - 1.0) * (-at).ln_1p() - constant).exp();
        let newton = at - error / density;
        let next = match newton {
            inside if inside > low && inside < high => inside,
            // Far out in a tail, halve the exponent instead of the value.
            _ if low > 0.0 && high > 4.0 * low => (low * high).sqrt(),
            _ => f64::midpoint(low, high),
        };
        if (next - at).abs() <= 1e-15 * at {
            return next;
        }
        at = next;
    }
    at
}

/// ln B(a, b).
fn ln_beta(a: f64, b: f64) -> f64 {
    ln_gamma(a) + ln_gamma(b) - ln_gamma(a + b)
}

/// ln Γ(x) for x > 0: Stirling's series (Abramowitz and Stegun 6.1.41), after shifting small
/// arguments up by the recurrence.
fn ln_gamma(x: f64) -> f64 {
    const SERIES: [f64; 7] = [
        1.0 / 156.0,
        -691.0 / 360_360.0,
        1.0 / 1_188.0,
        -1.0 / 1_680.0,
        1.0 / 1_260.0,
        -1.0 / 360.0,
        1.0 / 12.0,
    ];
    let (mut shifted, mut product) = (x, 1.0);
    while shifted < 10.0 {
        product *= shifted;
        shifted += 1.0;
    }
    let inverse = 1.0 / (shifted * shifted);
    let series = polynomial(&SERIES, inverse) / shifted;
    (shifted - 0.5) * shifted.ln() - shifted + 0.5 * (2.0 * PI).ln() + series - f64::ln(product)
}

/// Q(½, x): the share of a gamma distribution of shape ½ above x, which is erfc(√x).
fn gamma_half_upper(x: f64) -> f64 {
    let front = (-x).exp() * x.sqrt() / PI.sqrt();
    if x < 1.5 {
        // Series 6.5.29 of Abramowitz and Stegun.
        let mut term = 2.0;
        let mut sum = term;
        let mut shape = 0.5;
        while term > sum * 1e-17 {
            shape += 1.0;
            term *= x / shape;
            sum += term;
        }
        return 1.0 - front * sum;
    }
    // Continued fraction 6.5.31, evaluated from the tail.
    let mut fraction = 0.0;
    for step in (1..=120).rev() {
        let n = f64::from(step);
        fraction = n * (0.5 - n) / (x + 2.0 * n + 0.5 + fraction);
    }
    front / (x + 0.5 + fraction)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(left: f64, right: f64) -> bool {
        (left - right).abs() <= 1e-11 * right.abs().max(1e-300)
    }

    #[test]
    fn normal_agrees_with_tables() {
        for (z, share) in [
            (0.0, 0.5),
            (1.0, 0.841_344_746_068_542_9),
            (1.7, 0.955_434_537_241_457),
            (1.74, 0.959_070_491_021_192_7),
            (1.96, 0.975_002_104_851_779_5),
            (-3.0, 1.349_898_031_630_093_3e-3),
            (-8.0, 6.220_960_574_271_74e-16),
            (-20.0, 2.753_624_118_606_155_6e-89),
        ] {
            assert!(near(normal_cdf(z), share), "{z}: {}", normal_cdf(z));
        }
        for (share, z) in [
            (0.8, 0.841_621_233_572_914_3),
            (0.975, 1.959_963_984_540_054),
            (0.3, -0.524_400_512_708_041),
            (1e-10, -6.361_340_902_404_056),
        ] {
            assert!(
                near(normal_quantile(share), z),
                "{share}: {}",
                normal_quantile(share)
            );
        }
        assert_eq!(normal_quantile(0.0), f64::NEG_INFINITY);
        assert!(normal_quantile(1.5).is_nan());
    }

    #[test]
    fn student_agrees_with_tables() {
        for (share, freedom, t) in [
            (0.975, 1.0, 12.706_204_736_174_694),
            (0.975, 2.0, 4.302_652_729_749_462),
            (0.975, 3.0, 3.182_446_305_283_707_8),
            (0.975, 10.0, 2.228_138_851_986_274),
            (0.975, 100.0, 1.983_971_518_523_552_2),
            (0.975, 2.5, 3.574_654_842_003_681_7),
            (0.8, 4.0, 0.940_964_577_235_181_6),
            (0.995, 30.0, 2.749_995_653_567_225_4),
            (0.9999, 3.0, 22.203_742_273_205),
            (0.2, 7.0, -0.896_029_644_313_764_9),
        ] {
            let found = student_quantile(share, freedom);
            assert!(
                (found - t).abs() < 1e-9 * t.abs(),
                "{share} {freedom}: {found}"
            );
        }
        assert_eq!(student_quantile(0.5, 5.0), 0.0);
        for (t, freedom, share) in [
            (1.0, 1.0, 0.75),
            (2.0, 3.0, 0.930_337_015_720_578_5),
            (-1.5, 7.3, 0.087_781_546_401_543_05),
            (0.1, 50.0, 0.539_627_893_173_515),
        ] {
            assert!(near(student_cdf(t, freedom), share), "{t} {freedom}");
        }
    }

    #[test]
    fn beta_agrees_with_scipy() {
        for (a, b, x, share) in [
            (3.0, 3.0, 0.2, 0.057_92),
            (0.5, 0.5, 0.3, 0.369_010_119_565_545_36),
            (10.0, 0.5, 0.9, 0.151_640_909_634_709_94),
            (50.0, 60.0, 0.5, 0.830_907_293_901_669_3),
        ] {
            assert!(
                near(incomplete_beta(a, b, x), share),
                "{}",
                incomplete_beta(a, b, x)
            );
        }
        for (n, expected) in [
            (5.0, 0.146_632_799_634_673_13),
            (100.0, 0.403_173_950_896_418_05),
        ] {
            let half = (n + 1.0) / 2.0;
            assert!(near(beta_quantile(0.025, half, half), expected), "{n}");
        }
        assert!(near(ln_gamma(0.5), PI.sqrt().ln()));
        assert!(near(ln_gamma(50.0), 144.565_743_946_344_87));
    }
}
