// Uses the site as a reader does: clicks, keys, print, and the wishes of a system.

import { address, listen, overflow } from './pages.mjs';

const ARTICLE = 'en/articles/page-buffers/index.html';

/** Clicks its way through a site. With scripts off, only what HTML and CSS do is left. */
export async function click(browser, site, home, tally, kind, javaScriptEnabled) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, javaScriptEnabled });
  const page = await context.newPage();
  const ears = listen(page, home);
  const at = (path) => address(home, path);
  const attempt = (what, check) =>
    tally.attempt(`${kind}: clicks`, what, async () => [...((await check()) ?? []), ...ears.take()]);
  const expect = (truth, fault) => (truth ? [] : [fault]);

  await attempt('from the first page to a language, to the articles, to an article', async () => {
    await page.goto(at('index.html'));
    await page.locator('main a[hreflang="de"]').click();
    await page.waitForURL(at('de/index.html'));
    await page.locator('nav.menu a').first().click();
    await page.waitForURL(at('de/articles/index.html'));
    await page.locator('main a[href*="page-buffers"]').first().click();
    await page.waitForURL(at('de/articles/page-buffers/index.html'));
  });
  await attempt('every language and back', async () => {
    await page.goto(at(ARTICLE));
    const tags = await page.locator('nav.languages a').evaluateAll((all) => all.map((a) => a.hreflang)).catch(() => null);
    const faults = [];
    for (const tag of tags ?? ['de', 'ru', 'vi', 'en']) {
      await page.locator(`nav.languages a[hreflang="${tag}"]`).click();
      await page.waitForURL(at(ARTICLE.replace(/^en/, tag)));
      const lang = await page.locator('html').getAttribute('lang');
      if (lang !== tag) faults.push(`${tag} leads to a page in ${lang}`);
      if ((await page.locator('nav.languages [aria-current="page"]').getAttribute('hreflang')) !== tag) faults.push(`${tag} isn't marked as current`);
    }
    return faults;
  });
  await attempt('an entry of the contents', async () => {
    await page.goto(at(ARTICLE));
    const link = page.locator('nav.toc a').nth(2);
    const id = (await link.getAttribute('href')).slice(1);
    await link.click();
    const box = await page.locator(`[id="${id}"]`).boundingBox();
    return expect(box && box.y >= 0 && box.y < 450, `the heading is at ${box?.y}`);
  });
  await attempt('a value leads to its evidence', async () => {
    await page.goto(at(ARTICLE));
    const faults = [];
    for (const index of [0, 3]) {
      const link = page.locator('main a.value').nth(index);
      const id = (await link.getAttribute('href')).slice(1);
      await link.click();
      const row = page.locator(`[id="${id}"]`);
      await row.waitFor({ state: 'visible', timeout: 3000 });
      const box = await row.boundingBox();
      if (!box || box.y < 0 || box.y > 900) faults.push(`${id} is at ${box?.y}`);
      const back = row.locator('a[href^="#value-"]').first();
      if ((await back.count()) > 0) await back.click();
    }
    return faults;
  });
  await attempt('a mark of a claim leads to its ground', async () => {
    await page.goto(at(ARTICLE));
    const mark = page.locator('main a.claim-mark').first();
    const id = (await mark.getAttribute('href')).slice(1);
    await mark.click();
    await page.locator(`[id="${id}"]`).waitFor({ state: 'visible', timeout: 3000 });
  });
  await attempt('the tabs of every figure', async () => {
    await page.goto(at(ARTICLE));
    const faults = [];
    for (const summary of await page.locator('figure.figure details.tab > summary').all()) {
      await summary.click();
      const details = summary.locator('xpath=..');
      if ((await details.getAttribute('open')) === null) faults.push(`${await summary.innerText()} stays closed`);
      const name = await details.getAttribute('name');
      const open = await page.locator(`details[name="${name}"][open]`).count();
      if (open !== 1) faults.push(`${open} tabs of ${name} are open`);
    }
    return faults;
  });
  await attempt('links in an article, and back', async () => {
    await page.goto(at(ARTICLE));
    await page.locator('nav.breadcrumbs a').last().click();
    await page.waitForURL(at('en/articles/index.html'));
    await page.goBack();
    await page.waitForURL(at(ARTICLE));
  });
  await context.close();
}

/** The keyboard alone reaches everything. */
export async function keys(browser, site, home, tally) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
  const page = await context.newPage();
  await tally.attempt('keyboard', 'the first stop skips to the content', async () => {
    await page.goto(address(home, ARTICLE));
    await page.keyboard.press('Tab');
    const first = await page.evaluate(() => {
      const box = document.activeElement.getBoundingClientRect();
      return { text: document.activeElement.className, seen: box.top >= 0 && box.width > 10 && box.height > 10 };
    });
    if (first.text !== 'skip' || !first.seen) return [`the first stop is .${first.text}, ${first.seen ? '' : 'not '}seen`];
    await page.keyboard.press('Enter');
    const inside = await page.evaluate(() => document.activeElement.id === 'content');
    return inside ? [] : ['the content has no focus'];
  });
  await tally.attempt('keyboard', 'every stop can be seen and has a visible mark', async () => {
    await page.goto(address(home, ARTICLE));
    const faults = new Set();
    let stops = 0;
    for (; stops < 150; stops += 1) {
      await page.keyboard.press('Tab');
      const at = await page.evaluate(() => {
        const element = document.activeElement;
        if (element === document.body) return null;
        const box = element.getBoundingClientRect();
        const style = getComputedStyle(element);
        const marked = (style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) > 0) || style.boxShadow !== 'none';
        return { name: `${element.tagName.toLowerCase()}.${element.className}`, seen: box.width > 0 && box.bottom > 0 && box.top < innerHeight, marked };
      });
      if (at === null) break;
      if (!at.seen) faults.add(`${at.name} can't be seen`);
      if (!at.marked) faults.add(`${at.name} shows no focus`);
    }
    if (stops < 20) faults.add(`only ${stops} stops`);
    return [...faults];
  });
  await tally.attempt('keyboard', 'a wide table scrolls with the arrow keys', async () => {
    await page.setViewportSize({ width: 320, height: 800 });
    await page.goto(address(home, 'en/articles/innodb-log-size/index.html'));
    const region = page.locator('.scroll').first();
    await region.focus();
    for (let press = 0; press < 4; press += 1) await page.keyboard.press('ArrowRight');
    await page.waitForTimeout(300);
    return (await region.evaluate((element) => element.scrollLeft)) > 0 ? [] : ['it stays where it is'];
  });
  await context.close();
}

/** Print, still motion, forced colours, and 200 % zoom. */
export async function wishes(browser, site, home, tally) {
  const articles = site.pages.filter((path) => site.kind(path) === 'article');
  const each = async (kind, options, check) => {
    const context = await browser.newContext(options);
    const page = await context.newPage();
    for (const path of articles) {
      await tally.attempt(kind, path, async () => {
        await page.goto(address(home, path));
        return check(page);
      });
    }
    await context.close();
  };
  await each('print', { colorScheme: 'dark', viewport: { width: 720, height: 1000 } }, async (page) => {
    await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
    const faults = await page.evaluate(() => {
      const found = [];
      const light = (colour) => {
        const canvas = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
        canvas.fillStyle = colour;
        canvas.fillRect(0, 0, 1, 1);
        const [red, green, blue, alpha] = canvas.getImageData(0, 0, 1, 1).data;
        return alpha === 0 ? 255 : (red + green + blue) / 3;
      };
      const body = getComputedStyle(document.body);
      if (light(body.backgroundColor) < 240) found.push(`prints on ${body.backgroundColor}`);
      if (light(body.color) > 100) found.push(`prints in ${body.color}`);
      for (const place of ['nav.menu', 'nav.languages', '.skip', 'nav.toc']) {
        if (document.querySelector(place)?.checkVisibility()) found.push(`prints ${place}`);
      }
      for (const place of ['h1', '.prose', 'figure .figure-body']) {
        if (!document.querySelector(place)?.checkVisibility()) found.push(`doesn't print ${place}`);
      }
      return found;
    });
    const paper = await page.pdf({ format: 'A4' });
    const sheets = paper.toString('latin1').match(/\/Type\s*\/Page\b/g)?.length ?? 0;
    if (sheets < 2 || sheets > 40) faults.push(`${sheets} sheets`);
    return faults;
  });
  await each('still when asked', { reducedMotion: 'reduce' }, (page) =>
    page.evaluate(() => {
      const moving = document.getAnimations().length;
      const smooth = getComputedStyle(document.documentElement).scrollBehavior === 'smooth';
      const turning = [...document.querySelectorAll('*')].filter((element) =>
        getComputedStyle(element).transitionDuration.split(',').some((time) => parseFloat(time) > 0.01),
      );
      return [moving > 0 && `${moving} animations`, smooth && 'smooth scrolling', turning.length > 0 && `${turning.length} transitions`];
    }),
  );
  await each('forced colours', { forcedColors: 'active' }, (page) =>
    page.evaluate(() => {
      const ground = (element) => {
        const colour = element ? getComputedStyle(element).backgroundColor : 'rgb(255, 255, 255)';
        return colour === 'rgba(0, 0, 0, 0)' ? ground(element.parentElement) : colour;
      };
      const faint = [...document.querySelectorAll('main p, main td, main th, svg.chart text')].filter((element) => {
        const style = getComputedStyle(element);
        return (element instanceof SVGElement ? style.fill : style.color) === ground(element);
      });
      return faint.slice(0, 3).map((element) => `${element.tagName} has the colour of its ground`);
    }),
  );
  await each('200 % zoom', { viewport: { width: 640, height: 450 }, deviceScaleFactor: 2 }, (page) => page.evaluate(overflow));
}
