const minute = () => Math.floor(Date.now() / 60_000);

/**
 * Does all of `work` in one minute of the clock, as limits count: what a minute ends in the middle of is done once more.
 * @param work calls a host of its own each time: the new minute has counted some of the calls before
 */
export async function inOneMinute<T>(work: () => Promise<T>): Promise<T> {
  for (;;) {
    const began = minute();
    const done = await work();
    if (began === minute()) return done;
  }
}
