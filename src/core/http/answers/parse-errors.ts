/** An error of Node's HTTP parser, llhttp: `reason` is its own word on it. */
export type ParseError = NodeJS.ErrnoException & { reason?: string }

const bothLengths =
  'a body has Content-Length or Transfer-Encoding: chunked, and this request has both: send one of them'

/** What is wrong and what to change, by llhttp's reason, where its code has several. */
const reasons: Record<string, string> = {
  'Duplicate Content-Length': 'Content-Length came twice: send it once',
  "Transfer-Encoding can't be present with Content-Length": bothLengths,
  "Content-Length can't be present with Transfer-Encoding": bothLengths,
  'Invalid header value char': 'the value of a header has a control character: leave it out',
}

/** The same by llhttp's code. */
const causes: Record<string, string> = {
  CONNECT: 'CONNECT is for proxies, and this is none: use a method that the paths at /docs have',
  HPE_INVALID_METHOD: 'the request does not begin with a known method of HTTP, in capitals, such as GET or POST',
  HPE_INVALID_URL: 'the address in the first line has characters that are none of a URL: percent-encode them',
  HPE_INVALID_CONSTANT: 'the first line must be a method, an address without blanks and HTTP/1.1',
  HPE_INVALID_VERSION: 'the first line must end with HTTP/1.1, a carriage return and a line feed',
  HPE_PAUSED_H2_UPGRADE: 'HTTP/2 is not spoken here: send HTTP/1.1',
  HPE_UNEXPECTED_SPACE: 'a header must not begin with a blank',
  HPE_INVALID_HEADER_TOKEN: 'the name of a header has a character that none may have, such as a blank',
  HPE_INVALID_CONTENT_LENGTH: 'Content-Length must be the number of bytes of the body, in digits alone',
  HPE_UNEXPECTED_CONTENT_LENGTH: 'Content-Length came twice, or beside Transfer-Encoding: send one of them, once',
  HPE_INVALID_TRANSFER_ENCODING: 'the only Transfer-Encoding that is read is chunked',
  HPE_INVALID_CHUNK_SIZE: 'a chunk of the body must begin with its size, in hexadecimal digits',
  HPE_STRICT: 'a chunk of the body must be as long as its size says, and end with a carriage return and a line feed',
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 'the chunks of the body have extensions of more than 16 KiB: leave them out',
  HPE_INVALID_EOF_STATE: 'its sender ended the connection before its end',
  HPE_CLOSED_CONNECTION: 'something came after a request that was to be the last of its connection',
}

/** Says what was in the way of reading a request, or the rest of its body; undefined for what is not known. */
export function causeOf({ code, reason }: ParseError): string | undefined {
  return reasons[reason ?? ''] ?? causes[code ?? '']
}
