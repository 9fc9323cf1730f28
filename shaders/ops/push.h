// What the host hands to a kernel at each dispatch: push constants, and the rows of spans' buffers. A block is declared
// once, for C as a struct, and for GLSL in the kernel that defines PUSH_OF_... . Addresses are those of buffers, of the
// type that the kernel reads.
//
// No include guard is needed: a kernel includes this once, and C by src/gpu/push.h.

#ifdef LMB_GLSL
#define BEGIN_PUSH(name) layout(push_constant, scalar) uniform Push {
#define END_PUSH(name)                                                                                                 \
    }                                                                                                                  \
    push;
#define BEGIN_ROW(name, glsl_name)                                                                                     \
    layout(buffer_reference, scalar, buffer_reference_align = 8) readonly buffer glsl_name {
#define END_ROW(name)                                                                                                  \
    }                                                                                                                  \
    ;
#define ADDRESS(type, name) type name;
#define ADDRESSES(type, name, count) type name[count];
#define WORD(name) uint name;
#define PADDING()
#else
#define BEGIN_PUSH(name) typedef struct name {
#define END_PUSH(name)                                                                                                 \
    }                                                                                                                  \
    name;
#define BEGIN_ROW(name, glsl_name) BEGIN_PUSH(name)
#define END_ROW(name) END_PUSH(name)
#define ADDRESS(type, name) VkDeviceAddress name;
#define ADDRESSES(type, name, count) VkDeviceAddress name[count];
#define WORD(name) uint32_t name;
#define PADDING() uint32_t unused; // to whole addresses
#define PUSH_OF_BATCH
#define PUSH_OF_LIST
#define PUSH_OF_CONTROL
#define PUSH_OF_MATCH
#define PUSH_OF_HASH
#define PUSH_OF_PROBE
#define PUSH_OF_RAGDOLL
#define PUSH_OF_SKIN
#endif

#ifdef PUSH_OF_BATCH
// A span's buffers, each starting at the span's first character. A dispatch runs the characters of one span. Not every
// driver casts one reference to another, so some addresses are here twice.
BEGIN_ROW(lmb_span_row, Span)
ADDRESS(Words, parameters)
ADDRESSES(Words, outputs, OUTPUT_COUNT)
ADDRESSES(Rows, rows, OUTPUT_COUNT)    // the same addresses
ADDRESS(SharedWords, dual_quaternions) // the same address again
ADDRESS(Words, named_palette)          // of the frame that the host names as the previous one, or of this frame
ADDRESS(Rows, named_rows)              // the same address
ADDRESSES(ReadWords, poses, MOST_POSE_BUFFERS)
ADDRESS(Words, inertia)        // memory kept between frames: of inertialization, of chains and of feet; or 0
ADDRESS(ReadWords, points)     // or 0
ADDRESS(ReadWords, transforms) // or 0
ADDRESS(Words, reached)        // kept between frames: which nodes reached their targets; or 0
END_ROW(lmb_span_row)

BEGIN_PUSH(lmb_batch_push)
ADDRESS(ReadWords, program)
ADDRESS(Span, span) // the one that is run
ADDRESS(Words, refused)
ADDRESS(ReadWords, list)       // indices of characters, if there is a list
ADDRESS(ReadWords, dispatch)   // written by list.comp
ADDRESS(RESULT_ROWS, sources)  // of the span, from stage 1: [source][character][4]; or 0
ADDRESS(RESULT_WORDS, weights) // of the span, from stage 1: [weight][character]; or 0
ADDRESS(SharedRows, exchange)  // of the span: [area][character][joint, then channel]; or 0
WORD(characters)               // of the batch
WORD(first)                    // character of the span
WORD(span_characters)          // of each span except the last
WORD(outputs)                  // a bit per output
WORD(has_named)                // whether there is a palette of the previous frame
WORD(has_list)
WORD(pass)                       // that is run; of stage 1, how many invocations share a character's sources
WORD(exchanged)                  // joints and channels of a character in an exchange area
ADDRESS(WideWords, wide_program) // the program's address again
END_PUSH(lmb_batch_push)
#endif

#ifdef PUSH_OF_LIST
BEGIN_PUSH(lmb_list_push)
ADDRESS(Words, list_count)
ADDRESS(Words, dispatch)
ADDRESS(Words, refused)
WORD(capacity)
WORD(first_items) // items per workgroup of the pose kernel (joints or characters); `first_joint_maps` per character
WORD(first_joint_maps)
WORD(character_items) // characters per workgroup of the kernels of weights and of models
WORD(channels)        // per character
WORD(channel_items)   // channels per workgroup of the channels kernel
WORD(weights_parts)   // invocations of the weights kernel for each character
PADDING()
END_PUSH(lmb_list_push)
#endif

#ifdef PUSH_OF_CONTROL
BEGIN_PUSH(lmb_control_push)
ADDRESS(ReadWords, block)
ADDRESS(Words, state)
ADDRESS(Words, parameters)
ADDRESS(ReadWords, sent)
ADDRESS(Words, emitted)
ADDRESS(Words, motions)
ADDRESS(ReadWords, program) // whose clips the players play
ADDRESS(Words, weights)     // [weight][character]
WORD(sent_count)
WORD(characters)
WORD(number) // of the frame
WORD(step_low)
WORD(step_high)
WORD(emits_events)
WORD(part)
WORD(part_count)
// If a dispatch runs a part of a frame, else 0: [part] PART, then the arguments of their dispatches:
// [part][ARGUMENT_WORDS].
ADDRESS(Words, parts)
ADDRESS(Words, kept)        // [character] KEPT
ADDRESS(ReadWords, reached) // of the frame before: [character][PROGRAM.reached]
WORD(copies)                // of states, which advance between updates: words from the first state to the first copy
WORD(matrices)              // words from the first motion to the first matrix; 0: none are written
END_PUSH(lmb_control_push)
#endif

#ifdef PUSH_OF_MATCH
BEGIN_PUSH(lmb_match_push)
ADDRESS(ReadWords, block) // of the control, as the next two
ADDRESS(Words, state)
ADDRESS(Words, parameters)
WORD(characters)
PADDING()
END_PUSH(lmb_match_push)
#endif

#ifdef PUSH_OF_HASH
BEGIN_PUSH(lmb_hash_push)
ADDRESS(ReadWords, words) // [rows][row_words]
ADDRESS(Words, hashes)    // [first_row + rows][stride], of which a row's hash takes two words from `column` on
WORD(row_words)
WORD(rows)
WORD(first_row)
WORD(stride)
WORD(column)
PADDING()
END_PUSH(lmb_hash_push)
#endif

#ifdef PUSH_OF_PROBE
BEGIN_PUSH(lmb_probe_push)
ADDRESS(Words, cases)
WORD(count)
PADDING()
END_PUSH(lmb_probe_push)
#endif

#ifdef PUSH_OF_RAGDOLL
BEGIN_PUSH(lmb_ragdoll_push)
ADDRESS(ReadWords, program)
ADDRESS(ReadWords, animated)
ADDRESS(Words, models)
ADDRESS(Words, poses)
ADDRESS(Words, refused)
WORD(characters)
WORD(mask)
WORD(flags) // RAGDOLL_FLAG_...
PADDING()
END_PUSH(lmb_ragdoll_push)
#endif

#ifdef PUSH_OF_SKIN
BEGIN_PUSH(lmb_skin_push)
ADDRESS(ReadWords, block)
ADDRESS(PaletteRows, palette)
ADDRESS(PaletteRows, previous_palette)
ADDRESS(ReadWords, channels) // weights of morph targets
ADDRESS(ReadWords, previous_channels)
ADDRESS(ReadWords, list)
ADDRESS(ReadWords, list_count)
ADDRESS(Words, refused)
ADDRESSES(Words, streams, 4) // SKIN_OUTPUT_...
WORD(capacity)               // of the list, or the number of characters of the palette
WORD(characters)             // of the batch
WORD(first_character)
WORD(palette_count)
WORD(character_vertices)
WORD(strides) // words, 8 bits for each stream
WORD(flags)   // SKIN_FLAG_...
PADDING()
END_PUSH(lmb_skin_push)
#endif
