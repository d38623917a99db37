const minute = () => Math.floor(Date.now() / 60_000);

const MOST_ATTEMPTS = 5;

/**
 * Runs all of `work` within one minute of the clock, as rate limits count; repeats it if a minute ended in between.
 * @param work calls a new host each time: the next minute has already counted some of the earlier calls
 */
export async function inOneMinute<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 0; attempt < MOST_ATTEMPTS; attempt++) {
    const began = minute();
    const done = await work();
    if (began === minute()) return done;
  }
  throw new Error(`the work took longer than a minute ${MOST_ATTEMPTS} times`);
}
