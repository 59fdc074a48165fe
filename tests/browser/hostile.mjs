// Writes a site whose every text tries to break out of its place:
//   node hostile.mjs FOLDER [escape|sanitize]

import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const [folder, rawHtml = 'escape'] = process.argv.slice(2);

// Each sets a global that the tests look for. The number says where a hit came from.
const SCRIPT = (place) => `</title></svg></script><script>window.hit=${place}</script>`;
const IMAGE = (place) => `"><img src=x onerror=window.hit=${place}>`;
const QUOTE = (place) => `' onmouseover='window.hit=${place}' x="`;
const text = (value) => JSON.stringify(value); // a basic string of TOML as well
const cell = (value) => `"${value.replaceAll('"', '""')}"`;

function write(path, content) {
  const file = join(folder, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, content);
}

write('site.toml', `title = ${text(`Site ${SCRIPT(1)}`)}
description = ${text(IMAGE(2))}
languages = ["en", "vi"]
raw_html = "${rawHtml}"

[translations.vi]
title = ${text(`Trang ${IMAGE(3)}`)}

[[menu]]
link = "articles/_index.md"
`);

const levels = [SCRIPT(4), IMAGE(5), QUOTE(6), ']]> --> &amp;lt; \u202eabc\u202c', 'W'.repeat(90)];
write("data/it's-ünï & 50% #1/experiment.toml", `title = ${text(`Experiment ${SCRIPT(7)}`)}
question = ${text(IMAGE(8))}
summary = ${text(SCRIPT(9))}

[factors.name]
label = ${text(`Name ${SCRIPT(10)}`)}
description = ${text(IMAGE(11))}
kind = "nominal"
levels = [${levels.map(text).join(', ')}]
labels = { ${levels.map((level, index) => `${text(level)} = ${text(index % 2 ? IMAGE(20 + index) : SCRIPT(20 + index))}`).join(', ')} }

[factors.size]
label = ${text(`Size ${QUOTE(12)}`)}
kind = "number"
unit = "pages"

[metrics.speed]
label = ${text(`Speed ${SCRIPT(14)}`)}
unit = "ops/s"
unit_label = ${text(IMAGE(15))}
better = "higher"
description = ${text(SCRIPT(16))}

[environment]
engine = ${text(SCRIPT(17))}
"odd key" = ${text(IMAGE(18))}

[environment_labels]
"odd key" = ${text(SCRIPT(19))}

[settings.${text(SCRIPT(30))}]
value = ${text(IMAGE(31))}
default = ${text(SCRIPT(32))}
note = ${text(IMAGE(33))}

[[sources]]
key = "one"
title = ${text(SCRIPT(34))}
authors = [${text(IMAGE(35))}]
language = "en"
note = ${text(SCRIPT(36))}

[[files]]
path = "a & b's <ü>.csv"
origin = "published"
source = "one"
missing = { ${text(SCRIPT(37))} = "not-run", "–" = "not-published" }
notes = { ${text(SCRIPT(37))} = ${text(IMAGE(38))} }
`.replace("a & b's <ü>.csv", "a & b's ü.csv"));
const rows = levels.flatMap((level, index) =>
  [1, 2, 30].map((size) => `${cell(level)},${size},${index === 2 && size === 2 ? cell(SCRIPT(37)) : 100 * (index + 1) + size}`),
);
write("data/it's-ünï & 50% #1/a & b's ü.csv", `name,size,speed\n${rows.join('\n')}\n`);

const article = (title) => `+++
title = ${text(title)}
description = ${text(SCRIPT(41))}
date = 2024-01-02
authors = [${text(IMAGE(42))}]
tags = [${text(SCRIPT(43))}, "a/b ../c", ${text(QUOTE(44))}]
experiment = "it's-ünï & 50% #1"
[[headline]]
value = 'value(name=${text(levels[1])}, size=30)'
label = ${text(SCRIPT(45))}
+++

## A heading \`${SCRIPT(46)}\`

Raw: <script>window.hit=47</script> <img src=x onerror="window.hit=48"> <a href="javascript:window.hit=49">run</a>
<svg><animate onbegin="window.hit=50" attributeName=x dur=1s></svg> <iframe srcdoc="<script>parent.hit=51</script>"></iframe>
<math><mtext><style><img src=x onerror="window.hit=52"></style></mtext></math> <form action="javascript:window.hit=53"><button>x</button></form>

<div style="position:fixed;inset:0" onclick="window.hit=54">over everything</div>

<base href="https://example.org/"><meta http-equiv="refresh" content="0;url=https://example.org/">

A footnote[^<x>] and \`<script>window.hit=55</script>\` and <http://example.org/?a="onclick="window.hit=56>.

\`\`\`html
<script>window.hit=57</script>
\`\`\`

\`\`\`"><script>window.hit=58</script>
code
\`\`\`

Value {{ value(name=${text(levels[0])}, size=1) }} of {{ level(name=${text(levels[0])}) }} on {{ fact("odd key") }}, and
{% claim value(name=${text(levels[1])}, size=1) > value(name=${text(levels[0])}, size=1) %}a *claim* \`${SCRIPT(59)}\` holds{% end %}.

\`\`\`table
rows = "name"
columns = "size"
caption = ${text(SCRIPT(60))}
\`\`\`

\`\`\`chart
kind = "line"
x = "size"
series = "name"
caption = ${text(IMAGE(61))}
\`\`\`

\`\`\`chart
kind = "bar"
x = "name"
series = "size"
\`\`\`

\`\`\`matrix
rows = "name"
columns = "size"
boundary = "size > 1"
boundary_label = ${text(SCRIPT(62))}
\`\`\`

\`\`\`compare
factor = "name"
from = ${text(levels[0])}
to = ${text(levels[1])}
metrics = ["speed"]
\`\`\`

\`\`\`environment
\`\`\`

\`\`\`claims
\`\`\`

\`\`\`figure
src = "it's ü & 50% #1.svg"
alt = ${text(IMAGE(63))}
caption = ${text(SCRIPT(64))}
\`\`\`

\`\`\`table
rows = "row"
---
a,b
${cell(SCRIPT(65))},1
${cell(IMAGE(66))},2
\`\`\`

[^<x>]: A note <script>window.hit=67</script>.
`;
write('content/_index.md', `+++\ntitle = ${text(`Home ${SCRIPT(68)}`)}\n+++\n\nText.\n`);
write('content/articles/_index.md', `+++\ntitle = ${text(`Articles ${IMAGE(69)}`)}\n+++\n`);
write("content/articles/it's ü & 50% #1/index.md", article(`Article ${SCRIPT(40)}`));
write("content/articles/it's ü & 50% #1/index.vi.md", article(`Bài ${IMAGE(40)}`));
write(
  "content/articles/it's ü & 50% #1/it's ü & 50% #1.svg",
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><script>top.hit=70</script><rect width="9" height="9" onload="top.hit=71"/></svg>\n',
);
