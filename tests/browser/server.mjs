// A static file server on loopback, for the site below a folder of a host.

import { createServer } from 'node:http';
import { readFile, stat } from 'node:fs/promises';
import { extname, join, normalize, sep } from 'node:path';

const KINDS = {
  '.css': 'text/css',
  '.csv': 'text/csv',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.json': 'application/json',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
  '.xml': 'application/xml',
};

/** Serves `folder` below `mount` (such as `/some/where/`); answers with the address and a way to stop. */
export async function serve(folder, mount) {
  const server = createServer(async (request, response) => {
    const answer = (status, kind, body) => {
      response.writeHead(status, { 'content-type': kind, 'cache-control': 'no-store' });
      response.end(body);
    };
    try {
      const path = decodeURIComponent(new URL(request.url, 'http://localhost').pathname);
      if (!path.startsWith(mount)) return answer(404, 'text/plain', 'outside of the site');
      let file = normalize(join(folder, path.slice(mount.length)));
      if (file !== folder && !file.startsWith(folder + sep)) return answer(403, 'text/plain', 'no');
      if ((await stat(file)).isDirectory()) file = join(file, 'index.html');
      answer(200, KINDS[extname(file)] ?? 'application/octet-stream', await readFile(file));
    } catch {
      answer(404, 'text/plain', 'not found');
    }
  });
  await new Promise((ready) => server.listen(0, '127.0.0.1', ready));
  const { port } = server.address();
  return {
    url: `http://127.0.0.1:${port}${mount}`,
    stop: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
