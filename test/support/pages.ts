import http from "node:http";

/** A page as it came. */
export interface Shown {
  status: number;
  headers: http.IncomingHttpHeaders;
  text: string;
}

export interface PageCall {
  form?: Record<string, string> | [string, string][];
  cookie?: string | undefined;
  headers?: Record<string, string>;
}

/** Visits a page as a browser of that host would: a form comes from the same origin. */
export function visitPage(
  port: number,
  host: string,
  method: string,
  path: string,
  { form, cookie, headers }: PageCall = {},
): Promise<Shown> {
  const body = form && new URLSearchParams(form).toString();
  const own = form && {
    "Content-Type": "application/x-www-form-urlencoded",
    // The tests' service does not show its port to callers.
    Origin: `http://${host}`,
    "Sec-Fetch-Site": "same-origin",
  };
  return new Promise((resolve, reject) => {
    const request = http.request(
      {
        port,
        host: "127.0.0.1",
        method,
        path,
        headers: { Host: host, ...(cookie && { Cookie: cookie }), ...own, ...headers },
      },
      (response) => {
        const parts: Buffer[] = [];
        response.on("data", (part) => parts.push(part));
        response.on("end", () =>
          resolve({ status: response.statusCode as number, headers: response.headers, text: Buffer.concat(parts).toString() }),
        );
      },
    );
    request.on("error", reject).end(body);
  });
}

/** The session's cookie that a page set, as a browser sends it back. */
export const sessionOf = ({ headers }: Shown): string =>
  (headers["set-cookie"]?.find((one) => one.startsWith("kantoor_session")) ?? "").split(";")[0] as string;

/** The value of a hidden field of a page. */
export const hiddenIn = ({ text }: Shown, name: string): string =>
  new RegExp(`name="${name}" value="([^"]*)"`).exec(text)?.[1] ?? "";
