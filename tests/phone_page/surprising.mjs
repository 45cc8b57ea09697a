/** Play each case; return those that gave another result than wanted: [name, given, wanted]. */
export async function surprising(cases) {
  const others = [];
  for (const [name, play, wanted] of cases) {
    const given = await play();
    if (JSON.stringify(given) !== JSON.stringify(wanted)) others.push([name, given, wanted]);
  }
  return others;
}
