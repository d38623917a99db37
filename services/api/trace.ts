import type { Action } from "../../core/declare/action.ts";
import type { Headers } from "./http/answers.ts";
import type { StreamHolder } from "./streams/holder.ts";

/** What the gateway records about a request while serving it: log fields and the headers of the answer. */
export interface Trace {
  requestId: string;
  /** The path as logged: without the token of a public address. */
  path: string;
  organisation: string | null;
  /** Who calls: the id of the account, service account or operator's grant; null without a sign-in. */
  caller: string | null;
  /** Id of that organisation. */
  organisationId?: string;
  /** Path of the route that serves the request, with the names of its parameters. */
  route?: string;
  headers: Headers;
  /** Name of the action, once the router has found it. */
  action?: string;
  /** How the matched route formats OAuth refusals. */
  oauth?: Action["oauth"];
  /** Whether no answer of the matched route has a body, not even a refusal. */
  isBare?: boolean;
  /** The recipient of the stream, if the answer is a stream. */
  holder?: StreamHolder;
  /** Whether the answer is a stream, which lasts as long as its reader. */
  isStream?: boolean;
}
