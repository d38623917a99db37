import { invalid, refusal } from "../../../core/errors/errors.ts";

/** Maximum length of a clip in base64, and in bytes (platform §1.4). */
const MOST_CHARACTERS = 11_185_834;
const MOST_BYTES = 8 * 1024 * 1024;

/** An audio clip, typed by its signature. */
export interface Clip {
  bytes: Buffer;
  /** The file extension sent to the provider. */
  extension: "webm" | "ogg" | "mp4" | "wav" | "mp3";
}

const startsWith = (bytes: Buffer, signature: string, at = 0): boolean =>
  bytes.subarray(at, at + signature.length).toString("latin1") === signature;

/** The format by its signature: WebM (EBML), Ogg, MP4, WAV (RIFF), MP3 with ID3 tags or a layer III frame; else null. */
export function formatOf(bytes: Buffer): Clip["extension"] | null {
  if (startsWith(bytes, "\x1a\x45\xdf\xa3")) return "webm";
  if (startsWith(bytes, "OggS")) return "ogg";
  if (startsWith(bytes, "ftyp", 4)) return "mp4";
  if (startsWith(bytes, "RIFF") && startsWith(bytes, "WAVE", 8)) return "wav";
  const [first = 0, second = 0] = bytes;
  return startsWith(bytes, "ID3") || (first === 0xff && (second & 0xe6) === 0xe2) ? "mp3" : null;
}

/**
 * Decodes a clip.
 * @throws 413 if too large, 422 if not base64, empty or of another format
 */
export function clipOf(audio: string): Clip {
  if (audio.length > MOST_CHARACTERS) throw refusal("validation", "errors.ai_audio_too_large");
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(audio) || audio.length % 4 !== 0) throw invalid({ audio: "errors.validation" });
  const bytes = Buffer.from(audio, "base64");
  if (bytes.length > MOST_BYTES) throw refusal("validation", "errors.ai_audio_too_large");
  if (bytes.length === 0) throw invalid({ audio: "errors.validation" });
  const extension = formatOf(bytes);
  if (extension === null)
    throw refusal("validation", "errors.ai_audio_unsupported", { fields: { audio: "errors.ai_audio_unsupported" } });
  return { bytes, extension };
}

/** Minimum bytes per second of speech, 16 kbit/s; for a WAV its header decides. */
const LEAST_RATE = 2000;

/** The maximum seconds of a clip, for the reservation and for a provider that does not report its length. */
export function mostSeconds({ bytes, extension }: Clip): number {
  const byteRate = extension === "wav" && bytes.length >= 32 ? bytes.readUInt32LE(28) : 0;
  return Math.max(1, Math.ceil(bytes.length / (byteRate > 0 ? byteRate : LEAST_RATE)));
}
