//===- EntryPatterns.h - entries of checkpoints in each language -----------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Numbers and texts of the program's own are written and read by functions of the table (Functions.cpp). What
// is here: taking one out, for which C takes a NULL text; which there are; and a call that gives a text, which
// C may change in its next call, so that it is copied before another thread may make one. "@name@" stands for
// what is known of a model: see Writer.h.
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_EMIT_BINDINGS_ENTRYPATTERNS_H
#define DLC_COMPILER_EMIT_BINDINGS_ENTRYPATTERNS_H

namespace dlc::emit::bindings {

namespace rust {

inline constexpr char entryType[] = R"(/// An entry of the program's own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Extra {
    pub name: String,
    /// Else it is a text.
    pub is_number: bool,
}

)";

inline constexpr char entries[] = R"(    /// Takes an entry out, if there is one of this name.
    pub fn extra_remove(&mut self, entry: &str) -> Result<(), Error> {
        let entry = check::text("the entry", entry.as_bytes())?;
        self.check(unsafe { ffi::@model@_extra_write_text(self.handle, entry.as_ptr(), null()) })
    }

    /// All entries of the program's own.
    pub fn extras(&self) -> Result<Vec<Extra>, Error> {
        let mut extras = Vec::new();
        for index in 0..unsafe { ffi::@model@_extra_count(self.handle) } {
            let (mut name, mut is_number) = (null(), 0);
            self.check(unsafe { ffi::@model@_extra_name(self.handle, index, &mut name, &mut is_number) })?;
            extras.push(Extra { name: text_of(name), is_number: is_number != 0 });
        }
        Ok(extras)
    }

)";

inline constexpr char entryDeclarations[] = R"(        pub fn @model@_extra_count(model: *const Handle) -> i64;
        pub fn @model@_extra_name(model: *mut Handle, index: i64, entry: *mut *const c_char, is_number: *mut i32) -> i32;
)";

} // namespace rust

namespace go {

inline constexpr char entryType[] = R"(// Extra is an entry of the program's own.
type Extra struct {
	Name     string
	IsNumber bool // else it is a text
}

)";

inline constexpr char entries[] = R"(// ExtraRemove takes an entry out, if there is one of this name.
func (m *Model) ExtraRemove(entry string) error {
	cEntry, err := text("the entry", entry)
	if err != nil {
		return err
	}
	defer C.free(unsafe.Pointer(cEntry))
	return m.call("extra_remove", func() C.dlc_status {
		return C.@model@_extra_write_text(m.handle, cEntry, nil)
	})
}

// Extras are all entries of the program's own.
func (m *Model) Extras() ([]Extra, error) {
	var extras []Extra
	err := m.call("extras", func() C.dlc_status {
		count := C.@model@_extra_count(m.handle)
		for index := C.int64_t(0); index < count; index++ {
			var name *C.char
			var isNumber C.int32_t
			if status := C.@model@_extra_name(m.handle, index, &name, &isNumber); status != 0 {
				return status
			}
			extras = append(extras, Extra{C.GoString(name), isNumber != 0})
		}
		return 0
	})
	return extras, err
}

)";

} // namespace go

namespace csharp {

inline constexpr char entryType[] = R"(    /// <summary>An entry of the program's own.</summary>
    public sealed class Extra
    {
        public readonly string Name;
        /// <summary>False: it is a text.</summary>
        public readonly bool IsNumber;
        internal Extra(string name, bool isNumber) { Name = name; IsNumber = isNumber; }
    }

)";

/// The same for a text, which C may change in its next call.
inline constexpr char reading[] = R"(            try
            {
                Raise(Native.@model@_@step@(handle@passed@));
                return Checks.Sentence(@variable@);
            }
            finally { Leave(); }
)";

inline constexpr char entries[] =
    R"(        /// <summary>Takes an entry out, if there is one of this name.</summary>
        public void ExtraRemove(string entry)
        {
            byte[] name = Given("entry", entry);
            Enter("extra_remove");
            try { Raise(Native.@model@_extra_write_text(handle, name, null)); } finally { Leave(); }
        }

        /// <summary>All entries of the program's own.</summary>
        public IList<Extra> Extras()
        {
            Enter("extras");
            try
            {
                List<Extra> extras = new List<Extra>();
                long count = Native.@model@_extra_count(handle);
                for (long index = 0; index < count; ++index)
                {
                    IntPtr name;
                    int isNumber;
                    Raise(Native.@model@_extra_name(handle, index, out name, out isNumber));
                    extras.Add(new Extra(Checks.Sentence(name), isNumber != 0));
                }
                return extras;
            }
            finally { Leave(); }
        }

)";

inline constexpr char entryDeclarations[] =
    R"(        [DllImport(Library)] internal static extern long @model@_extra_count(Handle model);
        [DllImport(Library)] internal static extern int @model@_extra_name(Handle model, long index, out IntPtr entry, out int isNumber);
)";

} // namespace csharp

namespace fortran {

/// Where C gives the address of a text, which may change in its next call.
inline constexpr char reading[] = R"(@locals@    type(c_ptr) :: found
    integer(c_int) :: status
@checks@    status = dlc_c_@step@(self%handle@passed@)
    @content@ = text_of(found)
    call check(self, status, stat, errmsg)
  end subroutine

)";

inline constexpr char entries[] = R"(  ! Takes an entry out, if there is one of this name.
  subroutine extra_remove(self, entry, stat, errmsg)
    class(@module@_model), intent(inout) :: self
    character(len=*), intent(in) :: entry
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    character(kind=c_char, len=:), allocatable, target :: c_entry
    if (wrong_text('the entry', entry, stat, errmsg)) return
    c_entry = entry//c_null_char
    call check(self, dlc_c_extra_write_text(self%handle, c_loc(c_entry), c_null_ptr), stat, errmsg)
  end subroutine

  ! How many entries of the program's own there are.
  function extra_count(self) result(count)
    class(@module@_model), intent(in) :: self
    integer(c_int64_t) :: count
    count = dlc_c_extra_count(self%handle)
  end function

  ! The name of entry number index, from 1 to extra_count, and whether it is a number or a text.
  subroutine extra_name(self, index, entry, is_number, stat, errmsg)
    class(@module@_model), intent(inout) :: self
    integer(c_int64_t), intent(in) :: index
    character(len=:), allocatable, intent(out) :: entry
    logical, intent(out) :: is_number
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    type(c_ptr) :: found
    integer(c_int32_t) :: is_one
    integer(c_int) :: status
    is_one = 0
    status = dlc_c_extra_name(self%handle, index - 1, found, is_one)
    entry = text_of(found)
    is_number = is_one /= 0
    call check(self, status, stat, errmsg)
  end subroutine

)";

} // namespace fortran

namespace java {

inline constexpr char entryType[] = R"(    /** An entry of the program's own. */
    public static final class Extra {
        public final String name;
        /** False: it is a text. */
        public final boolean isNumber;

        Extra(String name, boolean isNumber) {
            this.name = name;
            this.isNumber = isNumber;
        }
    }

)";

/// The same for a text, which C may change in its next call.
inline constexpr char reading[] = R"(        enter("@function@");
        try {
            call("@function@"@passed@);
            return @result@.getPointer(0).getString(0, "UTF-8");
        } finally {
            lock.unlock();
        }
)";

inline constexpr char entries[] = R"(    /** Takes an entry out, if there is one of this name. */
    public void extraRemove(String entry) { call("extra_write_text", text("the entry", entry), Pointer.NULL); }

    /** All entries of the program's own. */
    public List<Extra> extras() {
        Memory name = new Memory(8), isNumber = new Memory(4);
        enter("extras"); // between the calls nothing changes
        try {
            Extra[] extras = new Extra[Math.toIntExact(LIBRARY.getFunction("@model@_extra_count").invokeLong(new Object[] {handle}))];
            for (int i = 0; i < extras.length; ++i) {
                call("extra_name", (long) i, name, isNumber);
                extras[i] = new Extra(name.getPointer(0).getString(0, "UTF-8"), isNumber.getInt(0) != 0);
            }
            return Arrays.asList(extras);
        } finally {
            lock.unlock();
        }
    }

)";

} // namespace java

namespace swift {

inline constexpr char entryType[] = R"(/// An entry of the program's own.
public struct Extra {
  public let name: String
  /// False: it is a text.
  public let isNumber: Bool
}

)";

inline constexpr char entries[] = R"(  /// Takes an entry out, if there is one of this name.
  public func extraRemove(_ entry: String) throws {
    try check(C@model@.@model@_extra_write_text(handle, try text("the entry", entry), nil))
  }

  /// All entries of the program's own.
  public func extras() throws -> [Extra] {
    var extras: [Extra] = []
    for index in 0..<C@model@.@model@_extra_count(handle) {
      var name: UnsafePointer<CChar>?
      var isNumber: Int32 = 0
      try check(C@model@.@model@_extra_name(handle, index, &name, &isNumber))
      extras.append(Extra(name: name.map { String(cString: $0) } ?? "", isNumber: isNumber != 0))
    }
    return extras
  }

)";

} // namespace swift

} // namespace dlc::emit::bindings

#endif // DLC_COMPILER_EMIT_BINDINGS_ENTRYPATTERNS_H
