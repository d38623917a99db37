import { expect } from "chai";
import { clipOf, formatOf, mostSeconds } from "../../../integrations/ai/time/audio.ts";

const bytes = (...values: (number | string)[]) =>
  Buffer.concat(values.map((value) => (typeof value === "string" ? Buffer.from(value, "latin1") : Buffer.from([value]))));

const codeOf = (audio: string): unknown[] => {
  try {
    clipOf(audio);
    return ["taken"];
  } catch (error) {
    const { code, message, data } = error as { code: number; message: string; data: { fields?: object } };
    return [code, message, data.fields ?? null];
  }
};

describe("clips of speech (platform §1.4)", () => {
  const formats: [string, Buffer, string | null][] = [
    ["WebM", bytes(0x1a, 0x45, 0xdf, 0xa3, "rest"), "webm"],
    ["Ogg", bytes("OggS rest"), "ogg"],
    ["MP4", bytes(0, 0, 0, 32, "ftypM4A "), "mp4"],
    ["WAV", bytes("RIFF", 1, 2, 3, 4, "WAVEfmt "), "wav"],
    ["MP3 with tags", bytes("ID3", 4, 0), "mp3"],
    ["a frame of MP3", bytes(0xff, 0xfb, 0x90, 0), "mp3"],
    ["AAC frames", bytes(0xff, 0xf1, 0x50, 0x80), null],
    ["a RIFF that is a picture", bytes("RIFF", 1, 2, 3, 4, "WEBPVP8 "), null],
    ["a page", bytes("<html>"), null],
    ["one byte", bytes(0xff), null],
  ];
  for (const [what, content, format] of formats)
    it(`reads ${what} as ${format}`, () => expect(formatOf(content)).to.equal(format));

  const invalid = [422, "errors.validation", { audio: "errors.validation" }];
  const ogg = (size: number) => Buffer.concat([Buffer.from("OggS"), Buffer.alloc(size - 4)]).toString("base64");
  const cases: [string, string, unknown[]][] = [
    ["no base64", "not base64!", invalid],
    ["base64 with a rest", "T2dnU", invalid],
    ["padding alone", "====", invalid],
    [
      "another format",
      Buffer.from("<html>").toString("base64"),
      [422, "errors.ai_audio_unsupported", { audio: "errors.ai_audio_unsupported" }],
    ],
    ["8 MiB", ogg(8 * 1024 * 1024), ["taken"]],
    ["a byte more", ogg(8 * 1024 * 1024 + 1), [413, "errors.ai_audio_too_large", null]],
    ["too many characters, whatever they are", "!".repeat(11_185_835), [413, "errors.ai_audio_too_large", null]],
  ];
  for (const [what, audio, expected] of cases) it(`judges ${what}`, () => expect(codeOf(audio)).to.deep.equal(expected));

  it("knows how long a clip can be at most", () => {
    const wav = Buffer.concat([bytes("RIFF", 0, 0, 0, 0, "WAVE"), Buffer.alloc(16_032 - 12)]);
    wav.writeUInt32LE(8000, 28);
    expect(mostSeconds({ bytes: wav, extension: "wav" })).to.equal(3);
    expect(mostSeconds({ bytes: Buffer.alloc(20_001), extension: "ogg" })).to.equal(11);
  });
});
