/** What loads a part of a module when it is first asked for, and keeps it: an `import()` of what is loaded costs some microseconds still. */
export function once<T>(load: () => Promise<T>): () => Promise<T> {
  let loaded: Promise<T> | undefined;
  return () =>
    (loaded ??= load().catch((error: unknown) => {
      loaded = undefined;
      throw error;
    }));
}
