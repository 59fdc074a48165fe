// Tests of built sites in a real browser. tests/run builds the sites and calls this file:
//   node run.mjs --site DIR --published DIR --base URL --small DIR… --hostile DIR… --chromium PROGRAM
// The modules are looked up in $BROWSER_MODULES.

import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';

import { modules } from './axe.mjs';
import * as files from './files.mjs';
import * as pages from './pages.mjs';
import * as reader from './reader.mjs';
import { serve } from './server.mjs';
import { Tally } from './tally.mjs';

const { values: options } = parseArgs({
  options: {
    ...Object.fromEntries(['site', 'published', 'base', 'chromium'].map((name) => [name, { type: 'string' }])),
    small: { type: 'string', multiple: true, default: [] },
    hostile: { type: 'string', multiple: true, default: [] },
  },
});
// Chromium refuses its own sandbox to root; nothing is loaded but what we built.
const FLAGS = [
  '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run',
  '--disable-background-networking', '--disable-component-update', '--disable-sync',
];
const SUBPATH = '/some/where/';

const tally = new Tally();
const started = process.hrtime.bigint();
const say = (what) => console.log(`${String((process.hrtime.bigint() - started) / 1_000_000_000n).padStart(4)} s  ${what}`);
const { chromium } = modules('playwright-core');
const jar = modules.resolve('vnu-jar/build/dist/vnu.jar');
const browser = await chromium.launch({ executablePath: options.chromium, args: FLAGS });

/** Feeds and the site map are XML, and name only addresses of the published site. */
async function feeds(site, base) {
  const context = await browser.newContext();
  const page = await context.newPage();
  const xml = site.files.filter((path) => /\.(xml|svg)$/.test(path));
  for (const path of xml) {
    await tally.attempt('XML', path, async () => {
      const text = readFileSync(join(site.folder, path), 'utf8');
      const found = await page.evaluate((text) => {
        const root = new DOMParser().parseFromString(text, 'application/xml');
        const fault = root.querySelector('parsererror');
        const all = (name) => [...root.getElementsByTagNameNS('*', name)];
        return {
          fault: fault?.textContent,
          addresses: [...all('loc').map((e) => e.textContent), ...all('link').map((e) => e.getAttribute('href'))],
          ids: all('id').map((e) => e.textContent),
        };
      }, text);
      const faults = [found.fault];
      for (const address of found.addresses) {
        const rest = address?.startsWith(base) ? address.slice(base.length) : null;
        const file = rest === '' || rest?.endsWith('/') ? `${rest}index.html` : rest;
        if (file === null || !site.files.includes(decodeURIComponent(file))) faults.push(`${address} isn't there`);
      }
      if (new Set(found.ids).size !== found.ids.length) faults.push('two ids are the same');
      return faults;
    });
  }
  const wanted = ['sitemap.xml', ...new Set(site.pages.map((path) => site.language(path)))];
  for (const name of wanted) {
    const there = xml.some((path) => path === name || path.startsWith(`${name}/`));
    tally.check('XML', name, there ? [] : ['no such site map or feed']);
  }
  await context.close();
}

if (options.site) {
  const site = files.open(resolve(options.site));
  say(`${site.pages.length} pages: links, structured data, valid HTML`);
  files.links(site, tally);
  files.structure(site, tally);
  files.valid(site, jar, tally, 'valid HTML');
  const disk = `${pathToFileURL(site.folder).href}/`;
  const server = await serve(site.folder, SUBPATH);
  for (const [kind, home] of [['disk', disk], ['host', server.url]]) {
    say(`opening every page from a ${kind}`);
    await pages.openAll(browser, site, home, tally, kind);
    await reader.click(browser, site, home, tally, kind, true);
    await reader.click(browser, site, home, tally, `${kind}, no scripts`, false);
  }
  say('keyboard, print, motion, colours, zoom');
  await reader.keys(browser, site, server.url, tally);
  await reader.wishes(browser, site, server.url, tally);
  say('axe');
  await pages.accessible(browser, site, server.url, tally);
  server.stop();
}
if (options.published) {
  say('the published site: absolute addresses, feeds, site map');
  const site = files.open(resolve(options.published));
  files.links(site, tally, { base: options.base });
  files.structure(site, tally);
  await feeds(site, options.base);
}
for (const folder of options.small) {
  say('a small site');
  const site = files.open(resolve(folder));
  files.links(site, tally, { whole: false });
  files.structure(site, tally);
  files.valid(site, jar, tally, 'small: valid HTML');
  await pages.openAll(browser, site, `${pathToFileURL(site.folder).href}/`, tally, 'small');
}
for (const folder of options.hostile) {
  say('a site of hostile data');
  const site = files.open(resolve(folder));
  files.links(site, tally, { whole: false });
  files.structure(site, tally);
  files.valid(site, jar, tally, 'hostile: valid HTML');
  await pages.hostile(browser, site, `${pathToFileURL(site.folder).href}/`, tally);
}
await browser.close();
say('done');
tally.show();
console.log(`browser: ${tally.passed} passed, ${tally.failed} failed`);
process.exitCode = tally.failed === 0 && tally.passed > 0 ? 0 : 1;
