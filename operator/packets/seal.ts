import { createCipheriv, createDecipheriv, createSecretKey, hkdfSync, type KeyObject, randomBytes } from "node:crypto";
import { deriveKey } from "../../core/security/crypto.ts";

/** The first bytes of a sealed message. Neither JSON nor gzip starts with them. */
const MARK = Buffer.from([0x00, 0x4b, 0x50, 0x02]);
const ID_AT = 4;
const SENDER_AT = 8;
const COUNTER_AT = 24;
const INSTANT_AT = 32;
const RECEIVER_AT = 40;
const NAME_AT = 56;
const TAG = 16;

/** One run of a node: 8 bytes of its start in milliseconds, then 8 random bytes. */
export const BOOT_BYTES = 16;
/** Stands for every node, as the receiver of a message. */
export const EVERY_NODE = Buffer.alloc(BOOT_BYTES);

/** The bytes that identify a run of a node that starts at `instant`, in milliseconds. */
export function newBoot(instant: number): Buffer {
  const boot = randomBytes(BOOT_BYTES);
  boot.writeBigUInt64BE(BigInt(instant));
  return boot;
}

/** A main secret as the origin of the keys between nodes. */
export interface PacketKey {
  /** Four bytes derived from the secret, by which a receiver finds its key; they reveal nothing about it. */
  id: Buffer;
  secret: string;
}

export const packetKey = (secret: string): PacketKey => ({
  id: deriveKey(secret, "packets between nodes: key id").subarray(0, 4),
  secret,
});

/**
 * The key of everything that one run of a node sends. A key of its own lets its counter serve as nonce. As an object, because Node.js
 * needs 33 µs more per message for a key in bytes.
 */
export const keyOfBoot = (secret: string, boot: Buffer): KeyObject =>
  createSecretKey(Buffer.from(hkdfSync("sha256", secret, boot, "packets between nodes", 32)));

/** What the head of a sealed message states. Only `opened` proves it. */
export interface Head {
  keyId: Buffer;
  /** The sender's run. */
  boot: Buffer;
  /** The sender's node id. */
  sender: string;
  /** 1 for the first message of a run. Each message has its own. */
  counter: number;
  /** Milliseconds since 1970, by the sender's clock. */
  instant: number;
  /** The receiver's run, or `EVERY_NODE`. */
  receiver: Buffer;
  /** Length of the head in bytes. */
  length: number;
}

const nonceOf = (head: Buffer): Buffer => Buffer.concat([Buffer.alloc(4), head.subarray(COUNTER_AT, COUNTER_AT + 8)]);
const boundTo = (head: Buffer, command: string): Buffer => Buffer.concat([head, Buffer.from(command)]);

export const isSealed = (message: Buffer): boolean => message.subarray(0, MARK.length).equals(MARK);

/**
 * Encrypts and signs a message with AES-256-GCM. The tag covers head and command as well.
 * @param key of the sender's run, by `keyOfBoot`
 * @param command of the packet, such as `REQ`
 */
export function seal(message: Buffer, key: KeyObject, command: string, stated: Omit<Head, "length">): Buffer {
  const name = Buffer.from(stated.sender);
  const head = Buffer.alloc(NAME_AT + 1 + name.length);
  MARK.copy(head);
  stated.keyId.copy(head, ID_AT);
  stated.boot.copy(head, SENDER_AT);
  head.writeBigUInt64BE(BigInt(stated.counter), COUNTER_AT);
  head.writeBigUInt64BE(BigInt(stated.instant), INSTANT_AT);
  stated.receiver.copy(head, RECEIVER_AT);
  head.writeUInt8(name.length, NAME_AT);
  name.copy(head, NAME_AT + 1);
  const cipher = createCipheriv("aes-256-gcm", key, nonceOf(head)).setAAD(boundTo(head, command));
  return Buffer.concat([head, cipher.update(message), cipher.final(), cipher.getAuthTag()]);
}

/** The head of a sealed message; null if it is cut off. */
export function headOf(message: Buffer): Head | null {
  if (message.length < NAME_AT + 1) return null;
  const length = NAME_AT + 1 + message.readUInt8(NAME_AT);
  if (message.length < length + TAG) return null;
  return {
    keyId: message.subarray(ID_AT, SENDER_AT),
    boot: message.subarray(SENDER_AT, COUNTER_AT),
    sender: message.toString("utf8", NAME_AT + 1, length),
    counter: Number(message.readBigUInt64BE(COUNTER_AT)),
    instant: Number(message.readBigUInt64BE(INSTANT_AT)),
    receiver: message.subarray(RECEIVER_AT, NAME_AT),
    length,
  };
}

/** The content of a sealed message; null if head, command or content are not what the holder of the key sealed. */
export function opened(message: Buffer, key: KeyObject, command: string, { length }: Head): Buffer | null {
  const head = message.subarray(0, length);
  const decipher = createDecipheriv("aes-256-gcm", key, nonceOf(head), { authTagLength: TAG });
  decipher.setAAD(boundTo(head, command)).setAuthTag(message.subarray(message.length - TAG));
  try {
    const content = decipher.update(message.subarray(length, message.length - TAG));
    decipher.final();
    return content;
  } catch {
    return null;
  }
}
