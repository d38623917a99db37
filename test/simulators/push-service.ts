import { createDecipheriv, createECDH, createPublicKey, hkdfSync, randomBytes, verify } from "node:crypto";
import { callOutside, type OutboundAnswer, type OutboundCall } from "../../core/outbound/call.ts";
import { Misunderstood, type Received, type Reply, Simulator } from "./simulator.ts";

/** A browser with keys of its own, as the Push API gives them. */
export class Browser {
  readonly #ecdh = createECDH("prime256v1");
  readonly #auth: Buffer;
  readonly endpoint: string;
  readonly messages: Record<string, unknown>[] = [];

  /** @param keys its private key and its secret, base64url; its own by default */
  constructor(endpoint: string, keys?: { privateKey: string; auth: string }) {
    if (keys) this.#ecdh.setPrivateKey(keys.privateKey, "base64url");
    else this.#ecdh.generateKeys();
    this.#auth = keys ? Buffer.from(keys.auth, "base64url") : randomBytes(16);
    this.endpoint = endpoint;
  }

  /** What the browser registers. */
  get subscription(): { endpoint: string; p256dh: string; auth: string } {
    const p256dh = this.#ecdh.getPublicKey("base64url");
    return { endpoint: this.endpoint, p256dh, auth: this.#auth.toString("base64url") };
  }

  /** Opens an encrypted message by RFC 8291 and RFC 8188: one record of `aes128gcm`. */
  open(body: Buffer): string {
    const [salt, length] = [body.subarray(0, 16), body.readUInt8(20)];
    const [sender, text] = [body.subarray(21, 21 + length), body.subarray(21 + length)];
    const shared = this.#ecdh.computeSecret(sender);
    const context = Buffer.concat([Buffer.from("WebPush: info\0"), this.#ecdh.getPublicKey(), sender]);
    const secret = Buffer.from(hkdfSync("sha256", shared, this.#auth, context, 32));
    const derived = (name: string, size: number) =>
      Buffer.from(hkdfSync("sha256", secret, salt, `Content-Encoding: ${name}\0`, size));
    const decipher = createDecipheriv("aes-128-gcm", derived("aes128gcm", 16), derived("nonce", 12));
    decipher.setAuthTag(text.subarray(-16));
    const plain = Buffer.concat([decipher.update(text.subarray(0, -16)), decipher.final()]);
    // The last record ends with 2 and as many zeros as padding (RFC 8188 §2).
    const end = plain.findLastIndex((byte) => byte !== 0);
    if (plain[end] !== 2) throw new Misunderstood("the record has no end");
    return plain.subarray(0, end).toString();
  }
}

/** A push service (RFC 8030) whose public address is `https://8.8.8.8/…` to the service and 127.0.0.1 in truth. */
export class PushService extends Simulator {
  readonly #browsers = new Map<string, Browser>();
  readonly #bodies = new Map<string, Buffer>();
  /** Endpoints that are no more, by the status they answer. */
  readonly gone = new Map<string, number>();

  override reset(): void {
    super.reset();
    this.#browsers.clear();
    this.gone.clear();
  }

  /** A browser registered here. */
  browser(): Browser {
    const browser = new Browser(`https://8.8.8.8/push/${randomBytes(12).toString("hex")}`);
    this.#browsers.set(new URL(browser.endpoint).pathname, browser);
    return browser;
  }

  /** Takes the calls the service makes to endpoints; the address itself was checked as any other. */
  carry = async (_target: string, address: string, call: OutboundCall = {}): Promise<OutboundAnswer> => {
    const { pathname } = new URL(address);
    this.#bodies.set(pathname, Buffer.from(call.body ?? ""));
    return callOutside("provider", `${this.origin}${pathname}`, call);
  };

  protected answer({ method, path, headers }: Received): Reply {
    const browser = this.#browsers.get(path);
    const status = this.gone.get(path);
    if (status !== undefined) return { status };
    if (method !== "POST" || !browser) throw new Misunderstood("no such subscription");
    if (headers["ttl"] !== String(4 * 3600)) throw new Misunderstood(`the TTL is ${headers["ttl"]}`);
    if (headers["content-encoding"] !== "aes128gcm") throw new Misunderstood("this is not encrypted by RFC 8291");
    const body = this.#bodies.get(path) as Buffer;
    if (body.length > 4096) return { status: 413, body: "Payload too large" };
    this.#requireSigned(headers.authorization ?? "", browser.endpoint);
    browser.messages.push(JSON.parse(browser.open(body)) as Record<string, unknown>);
    return { status: 201 };
  }

  /** The public key and the signature of RFC 8292. @throws Misunderstood */
  #requireSigned(authorization: string, endpoint: string): void {
    const [, token = "", key = ""] = /^vapid t=([\w.-]+), ?k=([\w-]+)$/.exec(authorization) ?? [];
    const [head = "", claims = "", signature = ""] = token.split(".");
    const point = Buffer.from(key, "base64url");
    if (point.length !== 65) throw new Misunderstood(`the key is no point: ${authorization}`);
    const [x, y] = [point.subarray(1, 33), point.subarray(33)].map((half) => half.toString("base64url"));
    const jwk = { kty: "EC", crv: "P-256", x: x as string, y: y as string };
    const publicKey = createPublicKey({ key: jwk, format: "jwk" });
    const signed = verify(
      "sha256",
      Buffer.from(`${head}.${claims}`),
      { key: publicKey, dsaEncoding: "ieee-p1363" },
      Buffer.from(signature, "base64url"),
    );
    const { aud, exp, sub } = JSON.parse(Buffer.from(claims, "base64url").toString()) as {
      aud: string;
      exp: number;
      sub: string;
    };
    if (!signed || aud !== new URL(endpoint).origin || exp * 1000 < Date.now() || !/^(https|mailto):/.test(sub))
      throw new Misunderstood("the signature does not fit");
  }
}
