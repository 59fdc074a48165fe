//! Experiments for the tests of this room, with the published figures and with hostile ones.

use crate::analysis::{Pivot, Query, pivot};
use crate::diag::{Source, Span};
use crate::model::{
    Definition, Direction, Environment, Experiment, Factor, FactorKind, Level, LevelValue, Metric,
    Missing, MissingReason, Observation, Origin, Place, Reading, Run, Sample, Series, Setting,
    SettingInEffect, Value,
};
use crate::text::{Catalogs, Lang, Language, Localized, Unit};

/// A text, with German, Russian and Vietnamese after `|`.
pub(crate) fn text(words: &str) -> Localized {
    let mut parts = words.split('|');
    let mut text = Localized::new(parts.next().unwrap_or_default());
    for (tag, words) in ["de", "ru", "vi"].into_iter().zip(parts) {
        text.translate(Lang::parse(tag).expect("a tag"), words);
    }
    text
}

/// A language with the built-in words.
pub(crate) fn language(tag: &str) -> Language {
    Language::new(Lang::parse(tag).expect("a tag"), &Catalogs::default())
}

fn span() -> Span {
    Span::new(&Source::new("data/test/experiment.toml", ""), 0..0)
}

/// A factor of names; the text of each may have translations.
pub(crate) fn names(key: &str, label: &str, kind: FactorKind, levels: &[&str]) -> Factor {
    let level = |words: &&str| Level {
        key: words.split('|').next().unwrap_or_default().to_owned(),
        aliases: Vec::new(),
        label: text(words),
        value: LevelValue::Name,
    };
    factor(key, label, kind, levels.iter().map(level).collect())
}

/// A factor of numbers.
pub(crate) fn numbers(key: &str, label: &str, kind: FactorKind, levels: &[f64]) -> Factor {
    let level = |value: &f64| Level {
        key: value.to_string(),
        aliases: Vec::new(),
        label: Localized::default(),
        value: LevelValue::Number(*value),
    };
    factor(key, label, kind, levels.iter().map(level).collect())
}

fn factor(key: &str, label: &str, kind: FactorKind, levels: Vec<Level>) -> Factor {
    Factor {
        key: key.to_owned(),
        label: text(label),
        description: Localized::default(),
        kind,
        unit: None,
        levels,
        span: span(),
    }
}

/// An experiment of one metric without observations.
pub(crate) fn experiment(
    metric: &str,
    unit: &str,
    better: Direction,
    factors: Vec<Factor>,
) -> Experiment {
    let metric = Metric {
        key: "metric".to_owned(),
        label: text(metric),
        description: Localized::default(),
        unit: Unit::parse(unit).expect("a unit"),
        unit_label: Localized::default(),
        better,
        digits: None,
        derived: None,
        span: span(),
    };
    let run = |key: &str, origin| Run {
        key: key.to_owned(),
        origin,
        started: None,
        environment: Environment::default(),
        effective: Vec::new(),
        source: None,
        command: None,
        inputs: Vec::new(),
        series: Vec::new(),
        watched_every: None,
        settings: Vec::new(),
    };
    Experiment {
        definition: Definition {
            key: "test".to_owned(),
            title: text("Test"),
            question: Localized::default(),
            summary: Localized::default(),
            source: Source::new("data/test/experiment.toml", ""),
            factors,
            metrics: vec![metric],
            settings: vec![Setting {
                key: "LockHashSlots".to_owned(),
                value: "30011".to_owned(),
                default: Some("1009".to_owned()),
                note: text("shortens the hash chains"),
            }],
            sources: Vec::new(),
            environment_labels: Vec::new(),
            sizes: crate::text::SizeConvention::Decimal,
            missing: MissingReason::NotPublished,
            noise: 0.05,
            threshold: 0.05,
            procedure: None,
        },
        runs: vec![
            run("published", Origin::Published),
            run("night", Origin::Measured),
        ],
        cases: Vec::new(),
        observations: Vec::new(),
        files: vec![Source::new("data/test/points.csv", "")],
    }
}

/// Adds a value to a case, in base units.
pub(crate) fn add(experiment: &mut Experiment, case: &[u32], value: Result<Value, MissingReason>) {
    let known = experiment.cases.iter().position(|it| **it == *case);
    let case = known.unwrap_or_else(|| {
        experiment.cases.push(case.into());
        experiment.cases.len() - 1
    });
    let order = experiment.observations.len() as u32;
    let same = |it: &&Observation| it.case == case as u32;
    let replicate = experiment.observations.iter().filter(same).count() as u32;
    let result = value.map_err(Missing::new).map(|value| Sample {
        value,
        at: Some(f64::from(order) * 31.0),
        block: Some(replicate),
        order: Some(order),
    });
    let place = Place {
        file: 0,
        line: order + 2,
    };
    let observation = Observation {
        case: case as u32,
        metric: 0,
        run: 0,
        replicate,
        result,
        place,
    };
    experiment.observations.push(observation);
}

/// Rows are the first factor, columns the second, if there is one.
pub(crate) fn grid(experiment: &Experiment) -> Pivot {
    let columns = (experiment.definition.factors.len() > 1).then_some(1);
    let query = Query {
        rows: Some(0),
        columns,
        ..Query::default()
    };
    pivot(experiment, &query).expect("a pivot")
}

/// Firebird page buffers by architecture.
pub(crate) fn buffers() -> Experiment {
    let mut it = experiment(
        "Points|Punkte|Баллы|Điểm",
        "points",
        Direction::Higher,
        vec![
            numbers(
                "page_buffers",
                "Page buffers|Seitenpuffer|Страничные буферы|Bộ đệm trang",
                FactorKind::Number,
                &[256.0, 512.0, 768.0, 1024.0, 1500.0, 2048.0],
            ),
            names(
                "architecture",
                "Architecture|Architektur|Архитектура|Kiến trúc",
                FactorKind::Nominal,
                &["Classic", "SuperClassic"],
            ),
        ],
    );
    let rows = [
        (299, 372),
        (371, 359),
        (362, 386),
        (312, 387),
        (390, 392),
        (285, 284),
    ];
    for (row, (classic, superclassic)) in rows.into_iter().enumerate() {
        add(
            &mut it,
            &[row as u32, 0],
            Ok(Value::Exact(f64::from(classic))),
        );
        add(
            &mut it,
            &[row as u32, 1],
            Ok(Value::Exact(f64::from(superclassic))),
        );
    }
    it
}

/// MariaDB log file size by data size: six of thirty-five cells.
pub(crate) fn logs() -> Experiment {
    const M: f64 = 1_048_576.0;
    let sizes = |sizes: &[f64]| sizes.iter().map(|size| size * M).collect::<Vec<_>>();
    let mut it = experiment(
        "Load time|Ladezeit|Время загрузки|Thời gian nạp",
        "duration",
        Direction::Lower,
        vec![
            numbers(
                "log_size",
                "Log file size|Größe der Logdatei|Размер файла журнала|Kích thước tệp log",
                FactorKind::Bytes,
                &sizes(&[512.0, 1024.0, 2048.0, 4096.0, 8192.0]),
            ),
            numbers(
                "data_size",
                "Data size|Datenmenge|Объём данных|Lượng dữ liệu",
                FactorKind::Bytes,
                &sizes(&[500.0, 1024.0, 2048.0, 3072.0, 4096.0, 8192.0, 10240.0]),
            ),
        ],
    );
    let cells = [
        (0, 0, 89.74),
        (0, 1, 335.272),
        (0, 2, 399.896),
        (1, 0, 88.0),
        (1, 1, 186.355),
        (2, 3, 682.13),
    ];
    for (log, data, seconds) in cells {
        add(&mut it, &[log, data], Ok(Value::Exact(seconds)));
    }
    it
}

/// PostgreSQL fillfactor: ranges and bounds in percent.
pub(crate) fn fillfactor() -> Experiment {
    let mut it = experiment(
        "Change against fillfactor 100|Änderung gegenüber Füllgrad 100|Изменение относительно fillfactor 100|Thay đổi so với fillfactor 100",
        "%",
        Direction::Neither,
        vec![names(
            "finding",
            "Finding|Befund|Наблюдение|Phát hiện",
            FactorKind::Nominal,
            &[
                "Operational speed, 5–115 connections|Betriebsgeschwindigkeit, 5–115 Verbindungen|Операционная скорость, 5–115 соединений|Tốc độ vận hành, 5–115 kết nối",
                "Operational speed, 5–22 connections|Betriebsgeschwindigkeit, 5–22 Verbindungen|Операционная скорость, 5–22 соединения|Tốc độ vận hành, 5–22 kết nối",
                "BufferContent events|Ereignisse BufferContent|События BufferContent|Sự kiện BufferContent",
                "DataFileWrite events|Ereignisse DataFileWrite|События DataFileWrite|Sự kiện DataFileWrite",
                "LockManager events|Ereignisse LockManager|События LockManager|Sự kiện LockManager",
            ],
        )],
    );
    add(&mut it, &[0], Ok(Value::Range(-0.02, 0.17)));
    add(&mut it, &[1], Ok(Value::Range(0.07, 0.16)));
    add(&mut it, &[2], Ok(Value::Exact(-0.36)));
    add(&mut it, &[3], Ok(Value::Below(-0.8)));
    add(&mut it, &[4], Err(MissingReason::NotPublished));
    it
}

/// Index times of a restore by power plan.
pub(crate) fn indices() -> Experiment {
    let mut it = experiment(
        "Index creation|Indexaufbau|Создание индекса|Tạo chỉ mục",
        "s",
        Direction::Lower,
        vec![
            names(
                "index",
                "Index|Index|Индекс|Chỉ mục",
                FactorKind::Ordinal,
                &[
                    "INDMF_TAG_PLC_DATA_DT_D",
                    "INDMF_TAG_PLC_DATA_TAG_D",
                    "INDMF_TAG_PLC_DATA_LU_D",
                    "INDMF_TAG_PLC_DATA_C1",
                    "PKMNF2_DOC_DOWNTIME",
                ],
            ),
            names(
                "plan",
                "Power plan|Energieplan|Схема питания|Chế độ nguồn",
                FactorKind::Nominal,
                &[
                    "Balanced|Ausbalanciert|Сбалансированная|Cân bằng",
                    "High Performance|Höchstleistung|Высокая производительность|Hiệu suất cao",
                ],
            ),
        ],
    );
    let rows = [
        (1258.27, 622.882),
        (1036.718, 645.147),
        (746.683, 616.506),
        (733.321, 708.018),
    ];
    for (row, (balanced, high)) in rows.into_iter().enumerate() {
        add(&mut it, &[row as u32, 0], Ok(Value::Exact(balanced)));
        add(&mut it, &[row as u32, 1], Ok(Value::Exact(high)));
    }
    it
}

/// Throughput of three engines by connections, seven runs each, one of them missing here and there.
pub(crate) fn repeated() -> Experiment {
    let connections = [1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0];
    let mut it = experiment(
        "Throughput|Durchsatz|Пропускная способность|Thông lượng",
        "ops/s",
        Direction::Higher,
        vec![
            numbers(
                "connections",
                "Connections|Verbindungen|Соединения|Kết nối",
                FactorKind::Number,
                &connections,
            ),
            names(
                "engine",
                "Engine|Datenbank|СУБД|Hệ quản trị",
                FactorKind::Nominal,
                &["Alpha", "Beta", "Gamma"],
            ),
        ],
    );
    let mut random = fastrand::Rng::with_seed(7);
    for _replicate in 0..7 {
        for (row, connections) in connections.into_iter().enumerate() {
            for engine in 0..3 {
                if engine == 2 && row == 5 {
                    continue;
                }
                let peak = [14_000.0, 9_000.0, 11_000.0][engine];
                let value: f64 = peak * connections / (connections + 9.0 + 6.0 * engine as f64);
                let value = value * (0.93 + 0.14 * random.f64());
                let value = if engine == 1 {
                    value * (1.0 - connections / 400.0)
                } else {
                    value
                };
                add(
                    &mut it,
                    &[row as u32, engine as u32],
                    Ok(Value::Exact(value.round())),
                );
            }
        }
    }
    it
}

/// A measured run of two factors in five blocks, with what was watched and which settings took effect. The
/// value of every trial is multiplied by what `weather` gives for its place in the order.
pub(crate) fn measured(fixed: bool, weather: impl Fn(u32) -> f64) -> Experiment {
    let mut it = experiment(
        "Throughput|Durchsatz|Пропускная способность|Thông lượng",
        "ops/s",
        Direction::Higher,
        vec![
            numbers(
                "interval",
                "Checkpoint interval|Checkpoint-Abstand|Интервал|Khoảng cách",
                FactorKind::Number,
                &[100.0, 1000.0, 4000.0, 10000.0],
            ),
            names(
                "synchronous",
                "Synchronous mode|Synchronmodus|Режим синхронизации|Chế độ đồng bộ",
                FactorKind::Nominal,
                &["NORMAL", "FULL", "OFF"],
            ),
        ],
    );
    it.runs.swap(0, 1);
    it.runs[0].started = Some("2026-09-14T20:15:02Z".to_owned());
    it.runs[0].command = Some("benchbook run test --seed 7".to_owned());
    let mut random = fastrand::Rng::with_seed(7);
    let mut order = 0;
    for _ in 0..5 {
        let mut cases: Vec<[u32; 2]> = (0..12).map(|case| [case / 3, case % 3]).collect();
        if !fixed {
            random.shuffle(&mut cases);
        }
        for case in cases {
            let level = f64::from(case[0] * 3 + case[1] + 2) * 1000.0;
            let value = level * (0.97 + 0.06 * random.f64()) * weather(order);
            add(&mut it, &case, Ok(Value::Exact(value)));
            watch(&mut it, order, case, &mut random);
            order += 1;
        }
    }
    for case in 0..12 {
        let pages = ["100", "1000", "4000", "10000"][case / 3];
        let told = [
            ("wal_autocheckpoint", pages, Some(pages)),
            ("mmap_size", "4096", Some("0")),
        ];
        for (name, requested, effective) in told {
            it.runs[0].settings.push(SettingInEffect {
                levels: vec![case as u32 / 3, case as u32 % 3],
                name: name.to_owned(),
                requested: requested.to_owned(),
                effective: effective.map(str::to_owned),
            });
        }
    }
    it
}

/// A thousand readings of a saw below its limit, and of a series that nobody knows.
fn watch(experiment: &mut Experiment, order: u32, case: [u32; 2], random: &mut fastrand::Rng) {
    let limit = [8e6, 12e6, 16e6, 40e6][case[0] as usize];
    let start = f64::from(order) * 31.0;
    let readings = |of: &mut dyn FnMut(f64) -> f64| -> Vec<Reading> {
        let reading = |place| Reading {
            at: start + f64::from(place) * 0.01,
            value: of(f64::from(place)),
        };
        (0..1000).map(reading).collect()
    };
    let series = [
        ("checkpoint_age", readings(&mut |place| place * 1e5 % limit)),
        ("checkpoint_limit", readings(&mut |_| limit)),
        (
            "queue_length",
            readings(&mut |_| f64::from(random.u8(0..9))),
        ),
    ];
    for (key, readings) in series {
        let key = key.to_owned();
        experiment.runs[0].series.push(Series {
            order,
            key,
            readings,
        });
    }
}
