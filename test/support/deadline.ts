import sinon from "sinon";

/** Runs work in which deadlines of so many milliseconds come after a moment, and all others at their time. */
export async function withDeadline<T>(milliseconds: number, work: () => Promise<T>, moment = 100): Promise<T> {
  const timeout = AbortSignal.timeout.bind(AbortSignal);
  const stub = sinon.stub(AbortSignal, "timeout").callsFake((given) => timeout(given === milliseconds ? moment : given));
  try {
    return await work();
  } finally {
    stub.restore();
  }
}
