const MOST = 255;

/** A file name without path, quotes and control characters, cut at 255 characters (conventions §18); `file` if nothing is left. */
export function cleanName(given: string): string {
  const last = given.toWellFormed().split(/[/\\]/).pop() ?? "";
  const bare = last.replace(/["\p{Cc}\p{Cf}\u2028\u2029\ufffd]/gu, "").trim();
  return [...bare].slice(0, MOST).join("") || "file";
}

/** A `Content-Disposition` (RFC 6266) with an ASCII file name for every client, plus a UTF-8 one (RFC 8187) if it differs. */
export function contentDisposition(kind: "inline" | "attachment", name: string): string {
  const clean = cleanName(name);
  const ascii = clean.replace(/[^\x20-\x7e]/gu, "_").replace(/[\\%]/g, "_");
  if (ascii === clean) return `${kind}; filename="${ascii}"`;
  const escaped = encodeURIComponent(clean).replace(/['()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);
  return `${kind}; filename="${ascii}"; filename*=UTF-8''${escaped}`;
}
