// What can be said of a built site without opening a window: links, markup, structured data.

import { execFileSync } from 'node:child_process';
import { readFileSync, readdirSync, statSync } from 'node:fs';
import { join, posix, relative, sep } from 'node:path';
import { pathToFileURL } from 'node:url';

/** The paths of all files below a folder, with `/` between names, in order. */
export function list(folder) {
  const paths = readdirSync(folder, { recursive: true })
    .map((path) => String(path).split(sep).join('/'))
    .filter((path) => statSync(join(folder, path)).isFile());
  return paths.sort();
}

/** A site: its folder, its files, and the text of its pages. */
export function open(folder) {
  const files = list(folder);
  const pages = files.filter((path) => path.endsWith('.html'));
  const text = new Map(pages.map((path) => [path, readFileSync(join(folder, path), 'utf8')]));
  const isRedirect = (path) => text.get(path).includes('<body class="kind-redirect">');
  const kind = (path) => /<body class="kind-([\w-]+)/.exec(text.get(path))?.[1] ?? 'unknown';
  const language = (path) => /<html lang="([\w-]+)/.exec(text.get(path))?.[1] ?? '';
  return { folder, files, pages, text, isRedirect, kind, language };
}

const plain = (text) =>
  text
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&#x27;', "'")
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&');

/** The tags of a page's markup: name and attributes. Text within attributes is quoted, so `>` is safe there. */
function* tags(html) {
  const bare = html.replace(/<!--[\s\S]*?-->/g, '').replace(/(<script\b[^>]*>)[\s\S]*?<\/script>/g, '$1');
  for (const [, name, rest] of bare.matchAll(/<([a-zA-Z][\w-]*)((?:\s+[^\s"'<>/=]+(?:="[^"]*")?)*)\s*\/?>/g)) {
    const attributes = {};
    for (const [, key, value] of rest.matchAll(/([^\s"'<>/=]+)(?:="([^"]*)")?/g)) attributes[key] = plain(value ?? '');
    yield { name: name.toLowerCase(), attributes };
  }
}

/**
 * Every link leads to a file of the site and to an anchor that is there. A whole site has no page
 * that can't be reached.
 */
export function links(site, tally, { base = '', whole = true } = {}) {
  const files = new Set(site.files);
  const anchors = new Map();
  const targets = new Map();
  for (const page of site.pages) {
    const ids = new Set();
    const found = [];
    for (const { name, attributes } of tags(site.text.get(page))) {
      if (attributes.id) ids.add(attributes.id);
      for (const key of ['href', 'src', 'data', 'poster']) {
        if (attributes[key] !== undefined) found.push({ name, link: attributes[key], attributes });
      }
      if (name === 'meta' && attributes['http-equiv'] === 'refresh') {
        found.push({ name: 'a', link: attributes.content.replace(/^.*url=/, ''), attributes });
      }
    }
    anchors.set(page, ids);
    targets.set(page, found);
  }
  const reached = new Set(['index.html']);
  const todo = ['index.html'];
  const follow = (path) => {
    if (files.has(path) && !reached.has(path)) {
      reached.add(path);
      todo.push(path);
    }
  };
  const resolved = new Map();
  for (const page of site.pages) {
    const faults = [];
    const inside = [];
    for (const { name, link: written, attributes } of targets.get(page)) {
      const link = base && written.startsWith(base) ? fromRoot(page, written.slice(base.length)) : written;
      const outside = /^([a-z][a-z0-9+.-]*:|\/\/)/i.test(link);
      if (outside) {
        const mayLeave = name === 'a' || (name === 'link' && /canonical|alternate|license/.test(attributes.rel));
        if (!mayLeave && !link.startsWith('data:')) faults.push(`<${name}> loads ${link}`);
        if (/^(javascript|vbscript|data):/i.test(link) && name === 'a') faults.push(`a link runs ${link}`);
        continue;
      }
      if (link.startsWith('/')) {
        faults.push(`${link} only works at the root of a host`);
        continue;
      }
      const [address, fragment] = link.split('#');
      const path = address === '' ? page : posix.normalize(posix.join(posix.dirname(page), decodeURIComponent(address)));
      if (!files.has(path)) {
        faults.push(`${link} leads to ${path}, which isn't there`);
        continue;
      }
      inside.push(path);
      if (fragment && anchors.has(path) && !anchors.get(path).has(decodeURIComponent(fragment))) {
        faults.push(`${link} leads to an anchor that isn't there`);
      }
    }
    resolved.set(page, inside);
    tally.check('links', page, faults);
  }
  if (!whole) return;
  while (todo.length > 0) (resolved.get(todo.pop()) ?? []).forEach(follow);
  for (const page of site.pages) {
    if (page.endsWith('404.html') || site.isRedirect(page)) continue;
    tally.check('reachable', page, reached.has(page) ? [] : ['no link leads here from the first page']);
  }
}

/** An address below the site's root as one relative to a page. */
function fromRoot(page, path) {
  const file = path === '' || path.endsWith('/') ? `${path}index.html` : path;
  return '../'.repeat(page.split('/').length - 1) + file;
}

/** What machines read is JSON. */
export function structure(site, tally) {
  for (const page of site.pages) {
    const html = site.text.get(page);
    for (const [, json] of html.matchAll(/<script type="application\/ld\+json">([\s\S]*?)<\/script>/g)) {
      tally.check('structured data', page, parse(json));
    }
  }
  for (const file of site.files.filter((path) => path.endsWith('.json'))) {
    tally.check('JSON files', file, parse(readFileSync(join(site.folder, file), 'utf8')));
  }
}

function parse(json) {
  try {
    const value = JSON.parse(json);
    return typeof value === 'object' ? [] : ['no object'];
  } catch (fault) {
    return [fault.message];
  }
}

/** Every page is valid HTML by the Nu checker. */
export function valid(site, jar, tally, kind) {
  const faults = new Map(site.pages.map((page) => [page, []]));
  // Some file names are no good as arguments of Java in a plain locale, so the checker walks the folder itself.
  const out = execFileSync(
    'java',
    ['-Xss4m', '-Dfile.encoding=UTF-8', '-Dsun.jnu.encoding=UTF-8', '-jar', jar, '--format', 'json', '--exit-zero-always', '--stdout', '--skip-non-html', site.folder],
    { encoding: 'utf8', maxBuffer: 1 << 28, env: { ...process.env, LC_ALL: 'C.UTF-8' }, stdio: ['ignore', 'pipe', 'inherit'] },
  );
  const byUrl = new Map(site.pages.map((page) => [pathToFileURL(join(site.folder, page)).href, page]));
  for (const message of JSON.parse(out).messages) {
    const url = (message.url ?? '').replace(/^file:\/*/, 'file:///');
    const page = byUrl.get(url) ?? relative(site.folder, decodeURIComponent(url.replace('file://', '')));
    const isFault = message.type === 'error' || message.type === 'non-document-error';
    // A note about file addresses, not about the page.
    if (!isFault || /Content Security Policy/.test(message.message)) continue;
    if (!faults.has(page)) faults.set(page, []);
    faults.get(page).push(`${message.lastLine}:${message.lastColumn} ${message.message}`);
  }
  for (const [page, found] of faults) tally.check(kind, page, found);
}
