import type { IncomingMessage } from "node:http";
import { runtime } from "../../../core/config/runtime.ts";
import { refusal } from "../../../core/declare/errors.ts";

/** The caller has hung up before its request was whole: there is no one to answer, and nothing has gone wrong here. */
export class CallerGone extends Error {
  override name = "CallerGone";
  constructor() {
    super("the caller hung up before its request was whole");
  }
}

/**
 * Reads a body to its end, to what `read` calls done, or to the end of the time a request may take.
 * @param read listens to the body and tells once it has what it wants; what is left of the body then flows away unread
 * @param giveUp lets go of what `read` has begun when the body will not come
 * @throws 408 `request_timeout` after `SERVICE_REQUEST_TIMEOUT_MS`, CallerGone when the connection closes in between
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
    // A body that has come to its end closes as well, maybe before what reads it has understood all of it.
    const onClose = () => void (request.readableEnded || fail(new CallerGone()));
    const late = setTimeout(() => fail(refusal("request_timeout")), runtime().config.requestTimeout);
    const stopWaiting = () => {
      clearTimeout(late);
      request.off("close", onClose);
    };
    // An aborted request also tells by 'error'; its end comes by 'close'.
    request.on("error", () => {});
    if (request.destroyed) return onClose();
    request.once("close", onClose);
    read((value) => {
      stopWaiting();
      resolve(value);
    });
  });
}

/** The whole body, or null when it is larger than `limit`; what is too large is not kept. */
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
