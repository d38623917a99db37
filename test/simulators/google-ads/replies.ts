import { readFileSync } from "node:fs";
import path from "node:path";
import type { Fault, Reply } from "../simulator.ts";

/** Every error group and its values, as published by the provider. */
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

/** One error to return. */
export interface SimulatedError {
  group: string;
  value: string;
  message?: string;
  /** Index of the operation; absent if the provider does not name one. */
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

/** A `GoogleAdsFailure` with the request's id. */
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

/** A refusal by the front end, which does not know the API's errors. */
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

/** Response for a retired or unknown version. */
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
