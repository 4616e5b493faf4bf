import { type ServerInterceptingCallInterface, type StatusObject, status } from "@grpc/grpc-js";
import { type BodyShare, inflateBody, isAppError } from "@touchstone/service-kit";
import { refusalOf, toGrpcStatus } from "./grpc-status.ts";

/** How grpc-js reads a message. It has no API to count one before it is inflated, so these are its internal methods. */
interface MessageReading {
  handleDataFrame(data: Buffer): void;
  decompressMessage(message: Buffer, encoding: string): Buffer | Promise<Buffer>;
  stream: NodeJS.EventEmitter;
}

/** The message prefix: a compression flag and the length. */
const prefixBytes = 5;

/**
 * Counts the bytes of a call's message as they arrive and as they are inflated, and ends the call if they exceed the
 * budget: 64 messages of 64 MiB would be four gigabytes. The budget is released when the call ends.
 */
export function countMessage(call: ServerInterceptingCallInterface, share: BodyShare, maxBytes: number): void {
  const reading = call as unknown as MessageReading;
  const { handleDataFrame } = reading;
  let isRefused = false;
  reading.stream.once("close", () => share.release());
  reading.handleDataFrame = (data) => {
    if (isRefused) return;
    try {
      share.take(data.length);
    } catch (thrown) {
      isRefused = true;
      call.sendStatus(toGrpcStatus(refusalOf(thrown)));
      return;
    }
    handleDataFrame.call(reading, data);
  };
  reading.decompressMessage = (message, encoding) => {
    const content = message.subarray(prefixBytes);
    if (encoding === "identity") return content;
    if (encoding !== "gzip" && encoding !== "deflate") {
      return Promise.reject(refused(status.UNIMPLEMENTED, `unsupported message encoding "${encoding}"`));
    }
    return inflateBody(content, encoding, maxBytes, share.enter).catch((thrown) => {
      if (!isAppError(thrown)) throw thrown;
      if (thrown.code === "body_too_large") {
        throw refused(status.RESOURCE_EXHAUSTED, `the message is larger than ${maxBytes} bytes`);
      }
      throw thrown.code === "body_unreadable"
        ? refused(status.INVALID_ARGUMENT, `the message is not valid ${encoding} data`)
        : toGrpcStatus(refusalOf(thrown));
    });
  };
}

function refused(code: status, details: string): Partial<StatusObject> {
  return { code, details };
}
