/** Milliseconds for which a message is not reported again. */
const QUIET = 10_000;

/**
 * Reports errors, each message at most once in ten seconds: an outage of the store fails the statements of a hundred jobs at once.
 * @param report receives the errors that are reported
 */
export function spacedReports(report: (error: Error) => void): (error: unknown) => void {
  const reported = new Map<string, number>();
  return (error) => {
    const now = Date.now();
    for (const [message, at] of reported) if (now - at >= QUIET) reported.delete(message);
    const { message } = error as Error;
    if (reported.has(message)) return;
    reported.set(message, now);
    report(error as Error);
  };
}
