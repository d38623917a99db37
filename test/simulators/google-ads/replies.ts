import { readFileSync } from "node:fs";
import path from "node:path";
import type { Fault, Reply } from "../simulator.ts";

/** Every group of errors and its values, as the provider publishes them. */
export const ERROR_VALUES = JSON.parse(
  readFileSync(path.join(import.meta.dirname, "../descriptions/googleads.v25.errors.json"), "utf8"),
) as Readonly<Record<string, readonly string[]>>;

const FAILURE = "type.googleapis.com/google.ads.googleads.v26.errors.GoogleAdsFailure";
const STATUS: Readonly<Record<number, string>> = {
  400: "INVALID_ARGUMENT",
  401: "UNAUTHENTICATED",
  403: "PERMISSION_DENIED",
  404: "NOT_FOUND",
  429: "RESOURCE_EXHAUSTED",
  500: "INTERNAL",
  503: "UNAVAILABLE",
  504: "DEADLINE_EXCEEDED",
};

/** One error of the API, as it is to be answered. */
export interface SimulatedError {
  group: string;
  value: string;
  message?: string;
  /** Which operation it is about; absent: the provider does not say. */
  operation?: number;
  /** Such as `2s`. */
  retryDelay?: string;
}

function errorOf({ group, value, message = `The error is ${value}.`, operation, retryDelay }: SimulatedError) {
  if (!ERROR_VALUES[group]?.includes(value)) throw new Error(`the provider knows no error ${group}.${value}`);
  return {
    errorCode: { [group]: value },
    message,
    ...(operation !== undefined && { location: { fieldPathElements: [{ fieldName: "operations", index: operation }] } }),
    ...(retryDelay !== undefined && { details: { quotaErrorDetails: { rateScope: "ACCOUNT", retryDelay } } }),
  };
}

let counter = 0;

/** A `GoogleAdsFailure`, with the id of the request. */
export const failureDetail = (errors: readonly SimulatedError[], requestId = `request-${++counter}`) => ({
  "@type": FAILURE,
  errors: errors.map(errorOf),
  requestId,
});

/** A refusal of the whole request. */
export function adsError(status: number, error: SimulatedError, requestId?: string): Reply {
  return {
    status,
    body: {
      error: {
        code: status,
        message: "Request contains an invalid argument.",
        status: STATUS[status],
        details: [failureDetail([error], requestId)],
      },
    },
  };
}

/** A refusal by what stands before the API, which knows nothing of its errors. */
export const frontError = (status: number, message: string, reason?: string): Reply => ({
  status,
  body: {
    error: {
      code: status,
      message,
      status: STATUS[status],
      ...(reason && {
        details: [{ "@type": "type.googleapis.com/google.rpc.ErrorInfo", reason, domain: "googleapis.com" }],
      }),
    },
  },
});

/** What a version that was retired, or never was, answers. */
export const noSuchVersion: Reply = {
  status: 404,
  headers: { "Content-Type": "text/html; charset=UTF-8" },
  body: "<!DOCTYPE html><html lang=en><title>Error 404 (Not Found)!!1</title><p>The requested URL was not found on this server.</html>",
  deviates: true,
};

/** A refusal as a fault, for `fail` and `failWhen`. */
export function refusing(status: number, error: SimulatedError, requestId?: string): Fault {
  const { body } = adsError(status, error, requestId);
  return { kind: "reply", status, headers: { "Content-Type": "application/json; charset=UTF-8" }, body: JSON.stringify(body) };
}
