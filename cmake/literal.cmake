# Writes the file FROM as a C++ raw string literal to TO: cmake -D FROM=… -D TO=… -P literal.cmake
file(READ ${FROM} text)
file(WRITE ${TO} "R\"quern(${text})quern\"\n")
