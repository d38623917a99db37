import { checkRequest, checkResponse } from "../descriptions/check-request.mjs";
import type { Described, Received, Reply } from "../simulator.ts";

const provider = "googleads";

const bodyOf = ({ body }: Received): unknown => {
  if (body === "") return undefined;
  try {
    return JSON.parse(body);
  } catch {
    return body;
  }
};

const said = ({ problems }: { problems: readonly { where: string; at: string; kind: string; detail: string }[] }) =>
  problems.map(({ where, at, kind, detail }) => `${where} ${at} ${kind}: ${detail}`);

/** The provider's own description of the version in the path. */
export const adsDescribed: Described = {
  wrongInRequest(request) {
    const { method, path, query, headers } = request;
    const body = bodyOf(request);
    const wrongType =
      body !== undefined && !/^application\/json/.test(headers["content-type"] ?? "") ? ["a body of no JSON"] : [];
    return [...wrongType, ...said(checkRequest({ provider, method, path, query: Object.fromEntries(query), body }))];
  },
  wrongInReply({ method, path }, { status, body }: Reply) {
    const sent = body === undefined ? undefined : JSON.parse(JSON.stringify(body));
    return said(checkResponse({ provider, method, path, status, body: sent }));
  },
};
