/** An error of Node's HTTP parser, llhttp; `reason` is its own message. */
export type ParseError = NodeJS.ErrnoException & { reason?: string }

const bothLengths = 'the request has both Content-Length and Transfer-Encoding: send one of them'

/** What is wrong and what to change, by llhttp's reason. For codes that have several reasons. */
const reasons: Record<string, string> = {
  'Duplicate Content-Length': 'Content-Length is repeated: send it once',
  "Transfer-Encoding can't be present with Content-Length": bothLengths,
  "Content-Length can't be present with Transfer-Encoding": bothLengths,
  'Invalid header value char': 'the value of a header contains a control character: remove it',
}

/** What is wrong and what to change, by llhttp's code. */
const causes: Record<string, string> = {
  CONNECT: 'CONNECT is not supported: use a method that /docs lists',
  HPE_INVALID_METHOD: 'the request must begin with an HTTP method in capital letters, such as GET or POST',
  HPE_INVALID_URL: 'the URL in the first line has invalid characters: percent-encode them',
  HPE_INVALID_CONSTANT: 'the first line must be a method, a URL without spaces and HTTP/1.1',
  HPE_INVALID_VERSION: 'the first line must end with HTTP/1.1, a carriage return and a line feed',
  HPE_PAUSED_H2_UPGRADE: 'HTTP/2 is not supported: send HTTP/1.1',
  HPE_UNEXPECTED_SPACE: 'a header must not begin with a space',
  HPE_INVALID_HEADER_TOKEN: 'the name of a header contains an invalid character, such as a space',
  HPE_INVALID_CONTENT_LENGTH: 'Content-Length must be the number of bytes of the body, in digits',
  HPE_UNEXPECTED_CONTENT_LENGTH:
    'Content-Length is repeated, or combined with Transfer-Encoding: send one of them once',
  HPE_INVALID_TRANSFER_ENCODING: 'the only supported Transfer-Encoding is chunked',
  HPE_INVALID_CHUNK_SIZE: 'a chunk of the body must begin with its size, in hexadecimal digits',
  HPE_STRICT: 'a chunk of the body must be as long as its size says, and end with a carriage return and a line feed',
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 'the chunk extensions of the body exceed 16 KiB: remove them',
  HPE_INVALID_EOF_STATE: 'the client closed the connection before the request was complete',
  HPE_CLOSED_CONNECTION: 'data followed a request with Connection: close: send it on a new connection',
}

/** Returns why a request, or the rest of its body, could not be read; undefined if unknown. */
export function causeOf({ code, reason }: ParseError): string | undefined {
  return reasons[reason ?? ''] ?? causes[code ?? '']
}
