// Opens every page of a site and looks at what the browser makes of it.

import { axe } from './axe.mjs';

const NARROW = [320, 360];

/** Hears all that a page complains about or asks for; `home` is where requests may go. */
export function listen(page, home) {
  const faults = [];
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) faults.push(`console ${message.type()}: ${message.text()}`);
  });
  page.on('pageerror', (fault) => faults.push(`script fault: ${fault.message}`));
  page.on('dialog', (dialog) => {
    faults.push(`a script asked: ${dialog.message()}`);
    dialog.dismiss().catch(() => {});
  });
  page.on('request', (request) => {
    const url = request.url();
    if (!url.startsWith(home) && !url.startsWith('data:')) faults.push(`asked for ${url}`);
  });
  page.on('requestfailed', (request) => {
    // A page left before its picture came is no fault.
    const why = request.failure()?.errorText ?? '';
    if (why !== 'net::ERR_ABORTED') faults.push(`failed: ${request.url()} ${why}`);
  });
  page.on('response', (response) => {
    if (response.status() >= 400) faults.push(`${response.status()} for ${response.url()}`);
  });
  return { take: () => faults.splice(0) };
}

/** The address of a file of a site. */
export const address = (home, path) => home + path.split('/').map(encodeURIComponent).join('/');

/** Does something for each item in `count` windows at once. */
export async function spread(browser, options, items, count, work) {
  const queue = [...items];
  const worker = async () => {
    const context = await browser.newContext(options);
    const page = await context.newPage();
    for (let item = queue.shift(); item !== undefined; item = queue.shift()) await work(page, item);
    await context.close();
  };
  await Promise.all(Array.from({ length: count }, worker));
}

/** What sticks out at the right, if the page scrolls sideways. */
export function overflow() {
  const width = document.documentElement.clientWidth;
  const hides = [document.documentElement, document.body].some((element) =>
    ['hidden', 'clip'].includes(getComputedStyle(element).overflowX),
  );
  if (hides) return ['the page hides what is too wide'];
  if (document.documentElement.scrollWidth <= width) return [];
  const out = [...document.body.querySelectorAll('*')]
    .filter((element) => element.getBoundingClientRect().right > width + 1 && !element.closest('.scroll'))
    .map((element) => `${element.tagName.toLowerCase()}${element.id && `#${element.id}`}.${element.className}`);
  return [`${document.documentElement.scrollWidth} px wide at ${width}: ${out.slice(0, 3).join(', ')}`];
}

/** Every page opens in peace, from a disk or a host, and fits narrow screens. */
export async function openAll(browser, site, home, tally, kind) {
  const paths = site.pages.filter((path) => !site.isRedirect(path));
  const options = { viewport: { width: 1280, height: 900 } };
  const heard = new WeakMap();
  await spread(browser, options, paths, 2, async (page, path) => {
    if (!heard.has(page)) heard.set(page, listen(page, home));
    const ears = heard.get(page);
    await tally.attempt(`${kind}: opens without a complaint`, path, async () => {
      await page.goto(address(home, path), { waitUntil: 'load' });
      const empty = (await page.locator('h1').count()) === 1 ? [] : ['not one h1'];
      return [...ears.take(), ...empty];
    });
    for (const width of [...NARROW, 640, 1280]) {
      await tally.attempt(`${kind}: no sideways scrolling at ${width} px`, path, async () => {
        await page.setViewportSize({ width, height: 800 });
        return page.evaluate(overflow);
      });
    }
  });
}

/** One page of each kind in each language, and all articles. */
export function choose(site) {
  const seen = new Set();
  return site.pages.filter((path) => {
    const kind = site.kind(path);
    if (site.isRedirect(path)) return false;
    const key = `${kind} ${site.language(path)} ${kind === 'article' && path.includes('/articles/') ? path : ''}`;
    return !seen.has(key) && seen.add(key);
  });
}

/** No barrier that axe can find, with every hidden part open. */
export async function accessible(browser, site, home, tally) {
  const looks = [
    { name: 'light, 1280 px', width: 1280, colorScheme: 'light' },
    { name: 'light, 360 px', width: 360, colorScheme: 'light' },
    { name: 'dark, 1280 px', width: 1280, colorScheme: 'dark', only: ['color-contrast', 'link-in-text-block'] },
    { name: 'dark, 360 px', width: 360, colorScheme: 'dark', only: ['color-contrast', 'link-in-text-block'] },
  ];
  for (const { name, width, colorScheme, only } of looks) {
    const options = { viewport: { width, height: 900 }, colorScheme };
    await spread(browser, options, choose(site), 2, (page, path) =>
      tally.attempt(`axe: ${name}`, path, async () => {
        await page.goto(address(home, path), { waitUntil: 'load' });
        await page.evaluate(() => {
          for (const details of document.querySelectorAll('details')) {
            details.removeAttribute('name');
            details.open = true;
          }
        });
        return axe(page, only);
      }),
    );
  }
}

/** No script of the data runs, even where no policy forbids it. */
export async function hostile(browser, site, home, tally) {
  for (const bypassCSP of [false, true]) {
    const heard = new WeakMap();
    const kind = bypassCSP ? 'hostile: inert without the policy too' : 'hostile: nothing runs';
    await spread(browser, { bypassCSP, viewport: { width: 1280, height: 900 } }, site.pages, 2, async (page, path) => {
      if (!heard.has(page)) heard.set(page, listen(page, home));
      await tally.attempt(kind, path, async () => {
        await page.goto(address(home, path), { waitUntil: 'load' });
        const found = await page.evaluate(() => {
          const ours = (element) => element.type === 'application/ld+json' || element.src.startsWith('file:');
          const handler = [...document.querySelectorAll('*')].find((element) =>
            [...element.attributes].some(({ name, value }) => name.startsWith('on') || /^\s*javascript:/i.test(value)),
          );
          return [
            window.hit !== undefined && 'a script ran',
            [...document.scripts].some((script) => !ours(script)) && 'a foreign script stands in the page',
            document.querySelector('iframe, object, embed, form, base') && 'a foreign element stands in the page',
            handler && `${handler.tagName} carries a script`,
          ];
        });
        return [...found, ...heard.get(page).take()];
      });
    });
    for (const width of bypassCSP ? [] : NARROW) {
      await spread(browser, { viewport: { width, height: 800 } }, site.pages, 2, (page, path) =>
        tally.attempt(`hostile: no sideways scrolling at ${width} px`, path, async () => {
          await page.goto(address(home, path), { waitUntil: 'load' });
          return page.evaluate(overflow);
        }),
      );
    }
  }
}
