import { randomBytes } from "node:crypto";
import { crc32, deflateSync } from "node:zlib";

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, "latin1"), data]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, sum]);
}

/** A PNG of 8-bit RGB pixels (PNG specification §5), random by default; `pixels` may be shorter than the header claims. */
export function png(width = 4, height = 4, pixels?: Buffer): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 2, 0, 0, 0], 8);
  const rows =
    pixels ?? Buffer.concat(Array.from({ length: height }, () => Buffer.concat([Buffer.alloc(1), randomBytes(width * 3)])));
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    chunk("IHDR", header),
    chunk("IDAT", deflateSync(rows, { level: 9 })),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}

/** A small, unique file of a type. @throws Error for a type without a sample */
export function sampleFile(type: string): Buffer {
  if (type === "image/png") return png();
  if (type.startsWith("text/")) {
    const token = randomBytes(8).toString("hex");
    // Every column that some import requires.
    const columns = "name,first_name,email,leave_type_key,start_date,end_date,tld,amount";
    return Buffer.from(`${columns}\n${token},${token},${token}@example.com,none,2026-03-02,2026-03-02,${token},1.00\n`);
  }
  if (type === "message/rfc822")
    return Buffer.from(`From: someone@example.com\r\nSubject: ${randomBytes(8).toString("hex")}\r\n\r\nHello.\r\n`);
  throw new Error(`no sample of '${type}': add one to test/support/pictures.ts`);
}
