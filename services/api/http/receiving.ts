import type { IncomingMessage } from "node:http";
import { runtime } from "../../../core/config/runtime.ts";
import { refusal } from "../../../core/errors/errors.ts";

/** The caller hung up before sending its whole request. There is nobody to answer, and it is not our error. */
export class CallerGone extends Error {
  override name = "CallerGone";
  constructor() {
    super("the caller hung up before its request was whole");
  }
}

/**
 * Reads a body until its end, until `read` calls done, or until the request times out.
 * @param read listens to the body and calls `done` with the result; the rest of the body is then discarded
 * @param giveUp cleans up after `read` when the body will not complete
 * @throws 408 `request_timeout` after `SERVICE_REQUEST_TIMEOUT_MS`, CallerGone when the connection closes early
 */
export function receive<T>(
  request: IncomingMessage,
  read: (done: (value: T | Promise<T>) => void) => void,
  giveUp: () => void = () => {},
): Promise<T> {
  return new Promise((resolve, reject) => {
    const fail = (error: Error) => {
      stopWaiting();
      giveUp();
      reject(error);
    };
    // A complete body emits 'close' too, perhaps before its reader has parsed all of it.
    const onClose = () => void (request.readableEnded || fail(new CallerGone()));
    const late = setTimeout(() => fail(refusal("request_timeout")), runtime().config.requestTimeout);
    const stopWaiting = () => {
      clearTimeout(late);
      request.off("close", onClose);
    };
    // An aborted request also emits 'error'; we act on its 'close'.
    request.on("error", () => {});
    if (request.destroyed) return onClose();
    request.once("close", onClose);
    read((value) => {
      stopWaiting();
      resolve(value);
    });
  });
}

/** The whole body, or null if it is larger than `limit`; excess is discarded. */
export function receiveAll(request: IncomingMessage, limit: number): Promise<Buffer | null> {
  if (Number(request.headers["content-length"] ?? 0) > limit) return Promise.resolve(null);
  const parts: Buffer[] = [];
  let size = 0;
  return receive(request, (done) => {
    const onData = (part: Buffer) => {
      size += part.length;
      if (size <= limit) return void parts.push(part);
      request.off("data", onData);
      done(null);
    };
    request.on("data", onData);
    request.once("end", () => done(parts.length === 1 ? (parts[0] as Buffer) : Buffer.concat(parts)));
  });
}
