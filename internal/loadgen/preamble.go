package loadgen

import "encoding/binary"

// preambleSize is the length of what opens each connection: the token, then
// the flow's id as a big-endian uint32. The rest of the stream is zeros.
const preambleSize = len(Token{}) + 4

func encodePreamble(token Token, flow int) []byte {
	return binary.BigEndian.AppendUint32(token[:], uint32(flow))
}

// decodePreamble returns the flow's id, false when the token is not ours.
func decodePreamble(preamble [preambleSize]byte, token Token) (int, bool) {
	if Token(preamble[:len(token)]) != token {
		return 0, false
	}
	return int(binary.BigEndian.Uint32(preamble[len(token):])), true
}
