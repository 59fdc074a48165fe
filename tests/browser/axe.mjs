// Runs axe in a page.

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

let source;

/** Where the modules that tests/run installed are. */
export const modules = createRequire(join(process.env.BROWSER_MODULES ?? process.cwd(), 'x.js'));

/** The violations axe finds, each with the first place; `only` names the rules to run. */
export async function axe(page, only) {
  source ??= readFileSync(modules.resolve('axe-core/axe.min.js'), 'utf8');
  await page.evaluate(source);
  const violations = await page.evaluate(async (rules) => {
    const options = { preload: false, resultTypes: ['violations'] };
    if (rules) options.runOnly = { type: 'rule', values: rules };
    return (await window.axe.run(document, options)).violations;
  }, only);
  return violations.map(({ id, help, nodes }) => {
    const data = nodes[0].any[0]?.data;
    const colours = data?.contrastRatio ? ` (${data.fgColor} on ${data.bgColor}: ${data.contrastRatio})` : '';
    return `${id}: ${help}, ${nodes.length}× first at ${nodes[0].target.join(' ')}${colours}`;
  });
}
