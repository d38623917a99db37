import http from "node:http";

/** A page as received. */
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

/** Visits a page like a browser on that host; forms are same-origin. */
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
    // Without the port: the tests' service hides it from callers.
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

/** The session cookie a page set, as a browser sends it back. */
export const sessionOf = ({ headers }: Shown): string =>
  (headers["set-cookie"]?.find((one) => one.startsWith("kantoor_session")) ?? "").split(";")[0] as string;

/** The value of a page's hidden field. */
export const hiddenIn = ({ text }: Shown, name: string): string =>
  new RegExp(`name="${name}" value="([^"]*)"`).exec(text)?.[1] ?? "";
