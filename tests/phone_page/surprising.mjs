// The clock of the process: plays may have their own.
const { setTimeout, clearTimeout } = globalThis;

/** How long a case may take, milliseconds. */
const LIMIT_MS = 5000;

/** Play each case; return those that gave another result than wanted: [name, given, wanted]. */
export async function surprising(cases) {
  const others = [];
  for (const [name, play, wanted] of cases) {
    let timer;
    const late = new Promise((end) => (timer = setTimeout(end, LIMIT_MS, "no end")));
    const given = await Promise.race([play(), late]);
    clearTimeout(timer);
    if (JSON.stringify(given) !== JSON.stringify(wanted)) others.push([name, given, wanted]);
  }
  return others;
}
