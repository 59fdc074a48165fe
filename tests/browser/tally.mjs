// Counts checks by kind and keeps what failed.

const SHOWN = 12;

export class Tally {
  kinds = new Map();

  /** Counts one check: `faults` is a list of what is wrong, empty if nothing is. */
  check(kind, where, faults) {
    const found = [faults].flat().filter(Boolean);
    const of = this.kinds.get(kind) ?? { passed: 0, failed: 0, faults: [] };
    this.kinds.set(kind, of);
    if (found.length === 0) of.passed += 1;
    else of.failed += 1;
    of.faults.push(...found.map((fault) => `${where}: ${fault}`));
  }

  /** Runs a check that throws what is wrong. */
  async attempt(kind, where, check) {
    try {
      this.check(kind, where, (await check()) ?? []);
    } catch (fault) {
      this.check(kind, where, [String(fault.message ?? fault).split('\n')[0]]);
    }
  }

  get passed() {
    return [...this.kinds.values()].reduce((sum, kind) => sum + kind.passed, 0);
  }

  get failed() {
    return [...this.kinds.values()].reduce((sum, kind) => sum + kind.failed, 0);
  }

  show() {
    for (const [name, kind] of this.kinds) {
      console.log(`${kind.failed ? 'FAILED' : 'ok    '} ${name}: ${kind.passed} passed, ${kind.failed} failed`);
      for (const fault of kind.faults.slice(0, SHOWN)) console.log(`         ${fault}`);
      const more = kind.faults.length - SHOWN;
      if (more > 0) console.log(`         … and ${more} more`);
    }
  }
}
